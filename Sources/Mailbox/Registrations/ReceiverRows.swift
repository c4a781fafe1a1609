import Base
import SQLite
import WebPush

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

/// The fetch signals of a registration.
enum FetchSignalRows {
    static func load(
        device: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) -> FetchSignals {
        let select = try Statement(
            """
            SELECT in_flight, id, count, version, arrival, expires FROM fetch_signal
            WHERE device = ?1
            """, on: connection)
        try select.bind(Int64(device), at: 1)
        var (inFlight, waiting): (FetchSignal?, FetchSignal?)
        while try select.step() {
            guard let id = select.withBytes(1, { MessageID($0) }) else { continue }
            let signal = FetchSignal(
                id: id, count: Int(select.integer(2)), version: UInt64(select.text(3)),
                arrival: select.integer(4), expiry: StoreTime(milliseconds: select.integer(5)))
            if select.integer(0) == 1 { inFlight = signal } else { waiting = signal }
        }
        return FetchSignals(inFlight: inFlight, waiting: waiting)
    }

    static func save(
        _ signals: FetchSignals, device: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let delete = try Statement("DELETE FROM fetch_signal WHERE device = ?1", on: connection)
        try delete.bind(Int64(device), at: 1)
        try delete.run()
        let insert = try Statement(
            "INSERT INTO fetch_signal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", on: connection)
        for (signal, isInFlight) in [(signals.inFlight, true), (signals.waiting, false)] {
            guard let signal else { continue }
            try insert.bind(Int64(device), at: 1)
            try insert.bind(isInFlight ? 1 : 0, at: 2)
            try insert.bind(signal.id.bytes, at: 3)
            try insert.bind(Int64(signal.count), at: 4)
            // As text: it may be more than SQLite's integers hold.
            if let version = signal.version {
                try insert.bind(text: "\(version)", at: 5)
            } else {
                try insert.bindNull(at: 5)
            }
            try insert.bind(signal.arrival, at: 6)
            try insert.bind(signal.expiry.milliseconds, at: 7)
            try insert.run()
        }
    }
}
