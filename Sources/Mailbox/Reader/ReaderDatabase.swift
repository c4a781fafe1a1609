import Crypto
import Delivery
import SQLite
import System

/// A read-only connection with the statements that every page needs.
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
