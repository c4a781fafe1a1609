import Base
import SQLite

extension Schema {
    /// All marks of a batch are one row: for each the key, 8 bytes, and the owner, 4. `position` is
    /// that of the last message in the batch; so the oldest come first, and expire first.
    /// The devices of an owner are counted whenever there is a new one.
    static let marks = """
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        CREATE INDEX device_owner ON device (owner);
        """
}

/// A mark, and who pays for it.
struct OwnedMark: Equatable, Sendable {
    let mark: RepetitionMark
    let owner: UInt32
}

/// The table of marks, as the writer uses it.
struct MarkRows: ~Copyable {
    private static let length = 12

    private let insert: Statement
    private let deleteExpired: Statement
    private let firstExpiry: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        let insert = try Statement("INSERT INTO mark VALUES (?1, ?2, ?3)", on: connection)
        let deleteExpired = try Statement(
            """
            DELETE FROM mark WHERE expires <= ?1
            AND position = (SELECT position FROM mark ORDER BY position LIMIT 1) RETURNING marks
            """, on: connection)
        let firstExpiry = try Statement(
            "SELECT expires FROM mark ORDER BY position LIMIT 1", on: connection)
        self.insert = insert
        self.deleteExpired = deleteExpired
        self.firstExpiry = firstExpiry
    }

    func insert(
        _ marks: [OwnedMark], at position: Int64, expires: StoreTime
    ) throws(SQLiteError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(marks.count * Self.length)
        for entry in marks {
            bytes.append(bigEndian: entry.mark.key)
            bytes.append(bigEndian: entry.owner)
        }
        try insert.bind(position, at: 1)
        try insert.bind(expires.milliseconds, at: 2)
        try insert.bind(bytes.span, at: 3)
        try insert.run()
    }

    /// Those of the oldest batches, so many that it is a bite; all that have expired if fewer.
    func deleteExpired(at now: StoreTime, limit: Int) throws(SQLiteError) -> [OwnedMark] {
        try deleteExpired.bind(now.milliseconds, at: 1)
        var marks: [OwnedMark] = []
        while marks.count < limit {
            let count = marks.count
            while try deleteExpired.step() { marks += Self.marks(deleteExpired) }
            if marks.count == count { break }
        }
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
        let select = try Statement("SELECT marks FROM mark", on: connection)
        while try select.step() {
            for entry in marks(select) { index.keep(entry) }
        }
    }

    private static func marks(_ row: borrowing Statement) -> [OwnedMark] {
        row.withBytes(0) { bytes in
            stride(from: 0, through: bytes.count - length, by: length).map { start in
                OwnedMark(
                    mark: RepetitionMark(key: bytes.word(at: start)),
                    owner: bytes.halfWord(at: start + 8))
            }
        }
    }
}
