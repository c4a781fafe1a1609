import Mailbox
import PushService
import StatusPage

/// Finds the names of those whom events are about, and leaves out the events of others.
struct EventNames {
    /// By the row of the credential or of the registration.
    private let credentials: [UInt32: String]
    private let registrations: [UInt32: String]
    /// The owners of the caller's things, by the row that their devices have in the index.
    private let owners: Set<UInt32>
    private let index: StoreIndex
    private let seesAll: Bool

    init(
        _ index: StoreIndex, _ credentials: [DeviceCredential], _ registrations: [Registration],
        seesAll: Bool
    ) {
        self.index = index
        self.seesAll = seesAll
        self.credentials = Dictionary(
            credentials.map { ($0.row, $0.name) }
        ) { first, _ in first }
        self.registrations = Dictionary(
            registrations.map { ($0.device, $0.terms.name) }
        ) { first, _ in first }
        // Zero stands for strangers.
        owners =
            seesAll
            ? [] : Set(registrations.map { index.owner(ofDevice: $0.device) }).subtracting([0])
    }

    /// Those that the caller may see.
    func visible(_ entries: [EventLog.Entry]) -> [EventLog.Entry] {
        guard !seesAll else { return entries }
        // A client is known by the credential that it came with.
        let own = Set(
            entries.map(\.event).filter { credentials[$0.credential] != nil }.map(\.device))
        return entries.filter { entry in
            let event = entry.event
            return credentials[event.credential] != nil
                || event.device != 0
                    && (registrations[event.device] != nil || own.contains(event.device)
                        || owners.contains(index.owner(ofDevice: event.device)))
        }
    }

    func event(_ entry: EventLog.Entry) -> Overview.Event {
        let event = entry.event
        let status = event.status == 0 ? "" : "\(event.status)"
        return Overview.Event(
            number: entry.number, time: Int(event.time), kind: event.kind.word,
            subject: credentials[event.credential] ?? registrations[event.device] ?? "",
            detail: [status, event.word].filter { !$0.isEmpty }.joined(separator: " "))
    }
}
