import Base
import Crypto
import System
import WebPush

/// Asks for what waits for a device, a page at a time.
package struct PageRequest: Equatable, Sendable {
    package let device: UInt32
    /// Only what was accepted after this.
    let sequence: Int64
    /// Only what was committed up to this; nil for all there is.
    let position: Int64?

    /// The first page.
    package init(device: UInt32) {
        self.init(device: device, sequence: 0, position: nil)
    }

    init(device: UInt32, sequence: Int64, position: Int64?) {
        self.device = device
        self.sequence = sequence
        self.position = position
    }
}

/// Part of what waits for a device, in order of acceptance and without what has expired.
///
/// All pages together are what was stored when the first was read, less what ended since: every
/// message whose `.stored(position:)` is at most `through`, and none behind it. So a session neither
/// misses a message nor gets it twice if it
/// 1. can be found by those who accept messages before it asks for the first page,
/// 2. passes over what was handed to it directly meanwhile (by id, acknowledged or not), and
/// 3. is handed a message that was stored while no session, or another one, was there, when the
///    answer `.stored(position:)` comes, and takes it only if `position > through`.
package struct StoredPage: Sendable {
    package let messages: [Message]
    package let through: Int64
    /// Asks for the page behind this one; nil when this is the last.
    package let next: PageRequest?
    /// Messages that could not be opened. They stay; it is our fault.
    package let damaged: Int
}

/// A page as it grows.
struct PageDraft {
    let request: PageRequest
    let through: Int64
    private let setAside: SetAside
    private var messages: [Message] = []
    private var bytes = 0
    private var damaged = 0
    private var lastSequence: Int64

    /// What is set aside stays, like what cannot be opened.
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
        let place = Sealer.Place(
            table: MessageRows.sealedTable, row: row.integer(0), column: MessageRows.sealedColumn)
        guard let id = row.withBytes(3, { MessageID($0) }),
            let location = row.withBytes(4, { LocationID($0) }),
            // Why it does not open is of no use to the one who waits for it.
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
