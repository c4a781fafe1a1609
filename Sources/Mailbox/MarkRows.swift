import SQLite

extension Schema {
    /// `position` is that of the marked message; so the oldest marks come first, and expire first.
    /// The devices of an owner are counted whenever there is a new one.
    static let marks = """
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, key INTEGER NOT NULL, owner INTEGER NOT NULL,
            expires INTEGER NOT NULL
        );
        CREATE INDEX device_owner ON device (owner);
        """
}

/// The table of marks, as the writer uses it.
struct MarkRows: ~Copyable {
    private let insert: Statement
    private let deleteExpired: Statement
    private let firstExpiry: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        let insert = try Statement("INSERT INTO mark VALUES (?1, ?2, ?3, ?4)", on: connection)
        let deleteExpired = try Statement(
            """
            DELETE FROM mark WHERE expires <= ?1
            AND position IN (SELECT position FROM mark ORDER BY position LIMIT ?2) RETURNING key
            """, on: connection)
        let firstExpiry = try Statement(
            "SELECT expires FROM mark ORDER BY position LIMIT 1", on: connection)
        self.insert = insert
        self.deleteExpired = deleteExpired
        self.firstExpiry = firstExpiry
    }

    func insert(
        _ mark: RepetitionMark, at position: Int64, owner: UInt32, expires: StoreTime
    ) throws(SQLiteError) {
        try insert.bind(position, at: 1)
        try insert.bind(Int64(bitPattern: mark.key), at: 2)
        try insert.bind(Int64(owner), at: 3)
        try insert.bind(expires.milliseconds, at: 4)
        try insert.run()
    }

    func deleteExpired(
        at now: StoreTime, limit: Int
    ) throws(SQLiteError) -> [RepetitionMark] {
        try deleteExpired.bind(now.milliseconds, at: 1)
        try deleteExpired.bind(Int64(limit), at: 2)
        var marks: [RepetitionMark] = []
        while try deleteExpired.step() { marks.append(Self.mark(deleteExpired, 0)) }
        return marks
    }

    func nextExpiry() throws(SQLiteError) -> StoreTime? {
        defer { firstExpiry.reset() }
        guard try firstExpiry.step() else { return nil }
        return StoreTime(milliseconds: firstExpiry.integer(0))
    }

    /// Puts all marks there are into the index.
    static func load(
        into index: StoreIndex, from connection: borrowing Connection
    ) throws(SQLiteError) {
        let select = try Statement("SELECT key, owner FROM mark", on: connection)
        while try select.step() {
            index.keep(mark(select, 0), owner: UInt32(clamping: select.integer(1)))
        }
    }

    private static func mark(_ row: borrowing Statement, _ column: Int32) -> RepetitionMark {
        RepetitionMark(key: UInt64(bitPattern: row.integer(column)))
    }
}
