import Base
import SQLite

/// What accepting a push for a registration leaves behind besides the message.
struct ReceiverRows: ~Copyable {
    private let insertMark: Statement
    private let deleteMarks: Statement
    private let deleteAnswers: Statement
    private let count: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        func deleteFirst(_ table: String) throws(SQLiteError) -> Statement {
            try Statement(
                """
                DELETE FROM \(table) WHERE row IN
                (SELECT row FROM \(table) ORDER BY row LIMIT ?2) AND expires <= ?1 RETURNING 1
                """, on: connection)
        }
        let insertMark = try Statement(
            """
            INSERT INTO replay_mark (mark, expires) VALUES (?1, ?2)
            ON CONFLICT DO NOTHING RETURNING 1
            """, on: connection)
        let deleteMarks = try deleteFirst("replay_mark")
        let deleteAnswers = try deleteFirst("kept_answer")
        let count = try Statement(
            """
            INSERT INTO undecryptable SELECT ?1, ?2, 1
            WHERE EXISTS (SELECT 1 FROM registration WHERE device = ?1)
            ON CONFLICT DO UPDATE SET count = count + 1 RETURNING 1
            """, on: connection)
        self.insertMark = insertMark
        self.deleteMarks = deleteMarks
        self.deleteAnswers = deleteAnswers
        self.count = count
    }

    /// False if it is there already.
    func insert(_ mark: ReplayMark, until end: StoreTime) throws(SQLiteError) -> Bool {
        try insertMark.bind(mark.bytes, at: 1)
        try insertMark.bind(end.milliseconds, at: 2)
        defer { insertMark.reset() }
        return try insertMark.step()
    }

    /// False if the registration has ended.
    func count(_ reason: String, device: UInt32) throws(SQLiteError) -> Bool {
        try count.bind(Int64(device), at: 1)
        try count.bind(text: reason, at: 2)
        defer { count.reset() }
        return try count.step()
    }

    /// Deletes marks and answers that have run out; true if there may be more.
    func deleteExpired(at now: StoreTime, limit: Int) throws(SQLiteError) -> Bool {
        let marks = try delete(deleteMarks, now, limit)
        let answers = try delete(deleteAnswers, now, limit)
        return marks || answers
    }

    private func delete(
        _ statement: borrowing Statement, _ now: StoreTime, _ limit: Int
    ) throws(SQLiteError) -> Bool {
        try statement.bind(now.milliseconds, at: 1)
        try statement.bind(Int64(limit), at: 2)
        var count = 0
        while try statement.step() { count += 1 }
        return count == limit
    }

    static func nextExpiry(
        on connection: borrowing Connection
    ) throws(SQLiteError) -> StoreTime? {
        var times: [StoreTime] = []
        for table in ["replay_mark", "kept_answer"] {
            let select = try Statement(
                "SELECT expires FROM \(table) ORDER BY row LIMIT 1", on: connection)
            if try select.step() { times.append(StoreTime(milliseconds: select.integer(0))) }
        }
        return times.min()
    }
}
