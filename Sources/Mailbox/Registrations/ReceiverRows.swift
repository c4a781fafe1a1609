import Delivery
import SQLite

/// What a push to a registration leaves in the file besides the message.
final class ReceiverRows {
    private let deleteAnswers: StoreStatement
    private let count: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        deleteAnswers = try StoreStatement(
            """
            DELETE FROM kept_answer WHERE row IN
            (SELECT row FROM kept_answer ORDER BY row LIMIT ?2) AND expires <= ?1 RETURNING 1
            """, on: connection)
        count = try StoreStatement(
            """
            INSERT INTO undecryptable SELECT ?1, ?2, 1
            WHERE EXISTS (SELECT 1 FROM registration WHERE device = ?1)
            ON CONFLICT DO UPDATE SET count = count + 1 RETURNING 1
            """, on: connection)
    }

    /// False if the registration has ended.
    func count(_ reason: String, device: UInt32) throws(StoreFault) -> Bool {
        try count.bind(Int64(device), at: 1)
        try count.bind(text: reason, at: 2)
        defer { count.reset() }
        return try count.step()
    }

    /// Deletes expired answers; returns how many.
    func deleteExpired(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try deleteAnswers.bind(now.milliseconds, at: 1)
        try deleteAnswers.bind(Int64(limit), at: 2)
        var count = 0
        while try deleteAnswers.step() { count += 1 }
        return count
    }

    static func nextExpiry(
        on connection: borrowing Connection
    ) throws(StoreFault) -> StoreTime? {
        let select = try StoreStatement(
            "SELECT expires FROM kept_answer ORDER BY row LIMIT 1", on: connection)
        return try select.step() ? StoreTime(milliseconds: select.integer(0)) : nil
    }
}
