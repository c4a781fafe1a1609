import Base
import Delivery
import SQLite

/// Ended endpoints.
///
/// They are kept for restores from an older copy: a token of ours that is neither in the copy nor
/// listed here may be newer than the copy. Forgetting one does no harm; its senders only learn
/// later that it has ended.
final class EndedRows {
    static let lifetime: UInt32 = 90 * 86_400

    private let insert: StoreStatement
    private let forget: StoreStatement
    private let deleteOld: StoreStatement
    private let first: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        insert = try StoreStatement(
            "INSERT INTO ended_endpoint (endpoint, ended) VALUES (?1, ?2) RETURNING row",
            on: connection)
        forget = try StoreStatement(
            "DELETE FROM ended_endpoint WHERE row <= ?1", on: connection)
        deleteOld = try StoreStatement(
            """
            DELETE FROM ended_endpoint WHERE row IN
            (SELECT row FROM ended_endpoint ORDER BY row LIMIT ?2) AND ended <= ?1 RETURNING 1
            """, on: connection)
        first = try StoreStatement(
            "SELECT ended FROM ended_endpoint ORDER BY row LIMIT 1", on: connection)
    }

    /// Rows are numbered without gaps, so the newest number says how many to delete.
    func insert(_ digest: Digest, at now: StoreTime, limit: Int) throws(StoreFault) {
        try insert.bind(digest.bytes, at: 1)
        try insert.bind(now.milliseconds, at: 2)
        let row = try insert.step() ? insert.integer(0) : 0
        insert.reset()
        guard row > limit else { return }
        try forget.bind(row - Int64(limit), at: 1)
        try forget.run()
    }

    /// Deletes some endpoints that ended long ago; returns how many.
    func deleteOld(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try deleteOld.bind(now.milliseconds - Int64(Self.lifetime) * 1_000, at: 1)
        try deleteOld.bind(Int64(limit), at: 2)
        var count = 0
        while try deleteOld.step() { count += 1 }
        return count
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { first.reset() }
        guard try first.step() else { return nil }
        return StoreTime(milliseconds: first.integer(0)).adding(seconds: Self.lifetime)
    }
}
