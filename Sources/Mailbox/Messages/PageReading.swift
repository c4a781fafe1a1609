import Base
import Crypto
import Delivery
import System
import WebPush

/// A page under construction.
struct PageDraft {
    /// What `add` reads of the messages of the device `?1`.
    static let columns = """
        position, sequence, subscription, id, location, expires, sealed,
        (SELECT owner FROM device WHERE row = ?1)
        """

    let request: PageRequest
    let through: Int64
    private let setAside: SetAside
    private var messages: [Message] = []
    private var bytes = 0
    private var damaged = 0
    private var lastSequence: Int64

    /// Messages set aside stay in the store, like those that cannot be unsealed.
    init(request: PageRequest, through: Int64, besides setAside: SetAside) {
        self.setAside = setAside
        self.request = request
        self.through = through
        lastSequence = request.sequence
    }

    func isFull(within limits: StoreLimits) -> Bool {
        messages.count + damaged >= limits.pageMessages || bytes >= limits.pageBytes
    }

    mutating func add(_ row: borrowing StoreStatement, unsealing sealer: inout Sealer) {
        lastSequence = row.integer(1)
        let message: Message? = row.withBytes(3) { id in
            setAside.contains(.message, id)
                ? nil : Underway.mark(.message, id) { self.message(row, &sealer) }
        }
        guard let message else {
            damaged += 1
            return
        }
        bytes += message.size
        messages.append(message)
    }

    func page(isLast: Bool) -> StoredPage {
        let next = PageRequest(
            device: request.device, sequence: lastSequence, position: through)
        return StoredPage(
            messages: messages, through: through, next: isLast ? nil : next, damaged: damaged)
    }

    private func message(_ row: borrowing StoreStatement, _ sealer: inout Sealer) -> Message? {
        let place = MessageRows.place(row.integer(0), of: row.integer(7))
        guard let id = row.withBytes(3, { MessageID($0) }),
            let location = row.withBytes(4, { LocationID($0) }),
            // The reader cannot use the reason why it does not open.
            let record = row.withBytes(6, { try? sealer.open($0, at: place) }),
            let (content, arrival) = record.withSpan(MessageRecord.content)
        else { return nil }
        return Message(
            id: id, location: location,
            address: Address(
                subscription: UInt32(clamping: row.integer(2)), device: request.device),
            sequence: row.integer(1), content: content, arrival: arrival,
            expiry: StoreTime(milliseconds: row.integer(5)))
    }
}
