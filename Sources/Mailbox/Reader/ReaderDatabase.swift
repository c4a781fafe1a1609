import Base
import Crypto
import Delivery
import SQLite
import System
import WebPush

/// A read-only connection with the statements that every page needs.
final class ReaderDatabase {
    let connection: Connection
    private let begin: StoreStatement
    private let end: StoreStatement
    private let position: StoreStatement
    private let select: StoreStatement

    private let setAside: SetAsideInputs

    init(_ path: String, besides setAside: SetAsideInputs) throws(StoreFault) {
        let connection: Connection
        do throws(SQLiteError) {
            connection = try Connection(path, .readOnly)
        } catch { throw StoreFault(error) }
        begin = try StoreStatement("BEGIN", on: connection)
        end = try StoreStatement("COMMIT", on: connection)
        position = try StoreStatement("SELECT position FROM state", on: connection)
        select = try StoreStatement(
            """
            SELECT \(PageDraft.columns) FROM message
            WHERE device = ?1 AND sequence > ?2 AND position <= ?3 AND expires > ?4
            ORDER BY sequence
            """, on: connection)
        self.setAside = setAside
        self.connection = connection
    }

    func page(
        _ request: PageRequest, at now: StoreTime, within limits: StoreLimits,
        unsealing sealer: inout Sealer
    ) throws(StoreFault) -> StoredPage {
        // Position and messages are read at the same moment.
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

/// Reads callbacks from the file.
enum CallbackReading {
    /// Callbacks with something to send.
    static func rowsAtWork(_ connection: borrowing Connection) throws(StoreFault) -> [UInt32] {
        try connection.rows(
            """
            SELECT row FROM callback WHERE EXISTS
            (SELECT 1 FROM callback_event WHERE callback = callback.row AND rank < 2)
            """)
    }

    /// Nil in the answer if the callback does not exist or has ended. One that cannot be unsealed
    /// is unavailable: that is our fault, and a retry may succeed.
    static func load(
        _ row: UInt32, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> LoadAnswer {
        // This is one statement, so that both tables are read at the same moment.
        let select = try connection.statement(
            """
            SELECT callback.state, callback.created, callback.sealed, event.position, event.id,
            event.rank, event.attempts, event.refusals, event.due, event.dies, event.sealed,
            callback.owner FROM callback LEFT JOIN callback_event AS event ON event.position =
            (SELECT position FROM callback_event WHERE callback = ?1 AND rank < 2
            ORDER BY rank, position LIMIT 1)
            WHERE callback.row = ?1
            """, row)
        guard try select.step(), let state = CallbackState(rawValue: select.integer(0)),
            !select.isNull(2)
        else { return .callback(nil) }
        let (sealed, owner) = (select.bytes(2), select.text(11))
        guard let opened = try? sealer.open(sealed.span, at: CallbackRows.place(row, of: owner)),
            let callback = opened.withSpan({ CallbackCode.callback(row: row, $0) })
        else { return .unavailable }
        var head: CallbackRecord.Head?
        if !select.isNull(3) {
            guard let found = self.head(select, of: owner, &sealer) else { return .unavailable }
            head = found
        }
        return .callback(
            CallbackRecord(
                callback: callback, state: state,
                created: StoreTime(milliseconds: select.integer(1)), head: head))
    }

    /// Unavailable if one cannot be unsealed.
    static func forwards(
        of owner: String?, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> LoadAnswer {
        let select = try connection.statement(
            """
            SELECT forward.row, forward.topic, forward.created, delivered, status, reason,
            callback.state, callback.sealed, callback.owner, callback.events
            FROM forward JOIN callback ON callback.row = forward.row
            WHERE ?1 IS NULL OR callback.owner = ?1 ORDER BY forward.row
            """, owner)
        var records: [ForwardRecord] = []
        while try select.step() {
            let row = UInt32(clamping: select.integer(0))
            let (sealed, holder) = (select.bytes(7), select.text(8))
            guard let state = CallbackState(rawValue: select.integer(6)),
                let opened = try? sealer.open(
                    sealed.span, at: CallbackRows.place(row, of: holder)),
                let callback = opened.withSpan({ CallbackCode.callback(row: row, $0) })
            else { return .unavailable }
            let topic = UInt32(clamping: select.integer(1))
            let forward = Forward(row: row, owner: holder, topic: topic == 0 ? nil : topic)
            records.append(
                ForwardRecord(
                    forward, callback, state,
                    of: try registration(topic, connection, &sealer),
                    created: select.integer(2),
                    delivered: select.isNull(3) ? nil : select.integer(3),
                    status: select.isNull(4) ? nil : Int(select.integer(4)),
                    reason: select.isNull(5) ? nil : select.text(5),
                    waiting: Int(select.integer(9))))
        }
        return .forwards(records)
    }

    private static func registration(
        _ topic: UInt32, _ connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Registration? {
        let found = try RegistrationRows.find(device: topic, on: connection, &sealer)
        if case .registration(let registration) = found { return registration }
        return nil
    }

    private static func head(
        _ select: borrowing StoreStatement, of owner: String, _ sealer: inout Sealer
    ) -> CallbackRecord.Head? {
        let position = select.integer(3)
        let place = CallbackRows.eventPlace(position, of: owner)
        let sealed = select.bytes(10)
        guard let id = select.withBytes(4, { MessageID($0) }),
            let body = try? sealer.open(sealed.span, at: place)
        else { return nil }
        return CallbackRecord.Head(
            position: position, id: id, body: body.withSpan { $0.array($0.indices) },
            isIntroduction: select.integer(5) == CallbackRows.Rank.introduction.rawValue,
            attempts: Int(select.integer(6)), refusals: Int(select.integer(7)),
            due: StoreTime(milliseconds: select.integer(8)),
            dies: StoreTime(milliseconds: select.integer(9)))
    }
}
