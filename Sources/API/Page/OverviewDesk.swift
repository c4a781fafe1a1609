import Mailbox
import PushService
import WebPush

/// Puts together what a caller may see of the server. One for each loop.
final class OverviewDesk {
    /// Who has more registrations sees the newest.
    private static let registrationLimit = 200

    private let service: ServiceState
    private let dialogue: StoreDialogue

    init(_ service: ServiceState, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    /// Nil if the store does not answer.
    func load(for caller: APICaller, then: @escaping (Overview?) -> Void) {
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.credentials) { [self] answer in
            guard case .credentials(let all) = answer else { return then(nil) }
            let credentials = all.filter { caller.mayUse($0.owner) }
            // One more than is shown tells whether there are more.
            dialogue.load(
                .registration(.all(owner: owner, limit: Self.registrationLimit + 1))
            ) { [self] answer in
                guard case .registration(.all(let registrations)) = answer else {
                    return then(nil)
                }
                dialogue.load(.owners) { [self] answer in
                    guard case .owners(let owners) = answer else { return then(nil) }
                    var overview = overview(owner, credentials, registrations)
                    overview.showKept(by: owners.filter { caller.mayUse($0.name) })
                    then(overview)
                }
            }
        }
    }

    private func overview(
        _ owner: String?, _ credentials: [DeviceCredential], _ registrations: [Registration]
    ) -> Overview {
        let figures = service.serverFigures
        let shown = registrations.prefix(Self.registrationLimit)
        var overview = Overview()
        overview.version = service.settings.version
        overview.address = "\(service.settings.baseURL)"
        overview.now = Int(service.now())
        overview.began = figures.began
        overview.isUsable = service.store.isUsable
        overview.owner = owner
        (overview.waitingMessages, overview.waitingBytes) = waiting(owner, registrations)
        overview.devices = credentials.map { ListedDevice($0, service.presence) }
        overview.registrations = shown.map(registration)
        overview.hasMore = registrations.count > shown.count
        let names = EventNames(service.index, credentials, registrations, seesAll: owner == nil)
        let entries = names.visible(service.events.newest)
        overview.events = entries.prefix(100).map { names.event($0) }
        if owner == nil {
            overview.show(figures)
        } else {
            overview.failures = Self.failures(in: entries.map(\.event))
        }
        return overview
    }

    private func waiting(
        _ owner: String?, _ registrations: [Registration]
    ) -> (messages: Int, bytes: Int) {
        guard owner != nil else { return service.index.usage }
        // All registrations of an owner are in the same row.
        let row = registrations.first.map { service.index.owner(ofDevice: $0.device) } ?? 0
        return row == 0 ? (0, 0) : service.index.usage(ofOwner: row)
    }

    private func registration(_ registration: Registration) -> Overview.Registration {
        let rest = registration.expiry.milliseconds - service.store.clock.now.milliseconds
        // To the minute, so that two clocks show the same end each time.
        let end = (Int(service.now()) + Int(rest / 1_000) + 30) / 60 * 60
        return Overview.Registration {
            $0.id = registration.id.text
            $0.app = registration.terms.app
            $0.account = registration.terms.account
            $0.owner = registration.owner
            $0.created = Int(registration.created / 1_000)
            $0.expires = registration.terms.isOnlyShown ? nil : end
            $0.lastPush = service.lastPushes[registration.device].map { Int($0 / 1_000) }
            $0.waiting = service.index.usage(ofDevice: registration.device).messages
            $0.service = registration.terms.service
            $0.isPaused = registration.isPaused
            $0.isUnheard = service.index.engines.isUnheard(registration)
        }
    }

    /// Who does not see everything gets the counts of its own last events.
    private static func failures(in events: [ServerEvent]) -> [Overview.Failure] {
        let bad = events.filter { $0.kind == .refused || $0.kind == .undecryptable }
        return Dictionary(grouping: bad, by: \.word).map { word, events in
            Overview.Failure(
                word: word, count: events.count, status: Int(events.first?.status ?? 0),
                number: ServerFigures.number(of: word))
        }.sorted { ($0.count, $0.word) > ($1.count, $1.word) }
    }
}

extension Overview {
    fileprivate mutating func showKept(by owners: [Owner]) {
        let messages = owners.reduce(0) { $0 + $1.keptMessages }
        guard messages > 0 else { return }
        keptMessages = messages
        keptBytes = owners.reduce(0) { $0 + $1.keptBytes }
    }

    fileprivate mutating func show(_ figures: ServerFigures) {
        counts = Counts {
            $0.accepted = figures.accepted
            $0.repeated = figures.repeated
            $0.refused = figures.refusals.reduce(0) { $0 + $1.count }
            $0.delivered = figures.delivered + figures.shown
            $0.acknowledged = figures.acknowledged + figures.shown
            $0.undecryptable = figures.unreadable.reduce(0) { $0 + $1.count }
        }
        userAgents = figures.userAgents
        clients = figures.clients
        durations = Durations {
            $0.bounds = figures.durationBounds
            $0.counts = figures.durationSums
        }
        failures =
            figures.refusals.map { refusal in
                Failure(
                    word: refusal.word, count: refusal.count, status: refusal.status,
                    number: refusal.number)
            }
            + figures.unreadable.map { word, count in
                Failure(word: word, count: count, status: 0, number: nil)
            }
    }
}

/// Finds the names of the devices and registrations that events are about, and leaves out events
/// that the caller may not see.
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

    /// The events that the caller may see.
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
        return Overview.Event {
            $0.number = entry.number
            $0.time = Int(event.time)
            $0.kind = event.kind.word
            $0.subject = credentials[event.credential] ?? registrations[event.device] ?? ""
            $0.detail = [status, event.word].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
}
