import Base
import Crypto
import Delivery
import SQLite
import System
import WebPush

/// A connection that only reads, with the statements that every page needs.
final class ReaderDatabase {
    let connection: Connection
    private let begin: StoreStatement
    private let end: StoreStatement
    private let position: StoreStatement
    private let select: StoreStatement

    private let setAside: SetAside

    init(_ path: String, besides setAside: SetAside) throws(StoreFault) {
        let connection: Connection
        do throws(SQLiteError) {
            connection = try Connection(path, .readOnly)
        } catch { throw StoreFault(error) }
        let begin = try StoreStatement("BEGIN", on: connection)
        let end = try StoreStatement("COMMIT", on: connection)
        let position = try StoreStatement("SELECT position FROM state", on: connection)
        let select = try StoreStatement(
            """
            SELECT position, sequence, subscription, id, location, expires, sealed FROM message
            WHERE device = ?1 AND sequence > ?2 AND position <= ?3 AND expires > ?4
            ORDER BY sequence
            """, on: connection)
        self.setAside = setAside
        self.connection = connection
        self.begin = begin
        self.end = end
        self.position = position
        self.select = select
    }

    func page(
        _ request: PageRequest, at now: StoreTime, within limits: StoreLimits,
        unsealing sealer: inout Sealer
    ) throws(StoreFault) -> StoredPage {
        // Position and messages are of one moment.
        try begin.run()
        defer { connection.rollBack() }
        let through = if let position = request.position { position } else { try lastPosition() }
        var draft = PageDraft(request: request, through: through, besides: setAside)
        try bind(request, through, now)
        defer { select.reset() }
        while try select.step() {
            if draft.isFull(within: limits) { return draft.page(isLast: false) }
            draft.add(select, unsealing: &sealer)
        }
        return draft.page(isLast: true)
    }

    private func bind(
        _ request: PageRequest, _ through: Int64, _ now: StoreTime
    ) throws(StoreFault) {
        try select.bind(Int64(request.device), at: 1)
        try select.bind(request.sequence, at: 2)
        try select.bind(through, at: 3)
        try select.bind(now.milliseconds, at: 4)
    }

    private func lastPosition() throws(StoreFault) -> Int64 {
        defer { position.reset() }
        return try position.step() ? position.integer(0) : 0
    }
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
