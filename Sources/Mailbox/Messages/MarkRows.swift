import Base
import Delivery
import SQLite

/// A mark that is stored until it expires.
protocol StoredMark: Equatable, Sendable {
    static var table: String { get }
    /// Bytes of one mark in a row.
    static var length: Int { get }

    init(_ bytes: Span<UInt8>, at start: Int)
    func append(to bytes: inout [UInt8])
}

/// A mark and the owner whose share it uses.
struct OwnedMark: StoredMark {
    static let table = "mark"
    static let length = 12

    let mark: RepetitionMark
    let owner: UInt32

    init(mark: RepetitionMark, owner: UInt32) {
        self.mark = mark
        self.owner = owner
    }

    init(_ bytes: Span<UInt8>, at start: Int) {
        mark = RepetitionMark(key: bytes.word(at: start))
        owner = bytes.halfWord(at: start + 8)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: mark.key)
        bytes.append(bigEndian: owner)
    }
}

/// The writer's access to a table of marks.
final class MarkRows<Mark: StoredMark> {
    private let insert: StoreStatement
    private let deleteExpired: StoreStatement
    private let firstExpiry: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        let table = Mark.table
        let insert = try StoreStatement("INSERT INTO \(table) VALUES (?1, ?2, ?3)", on: connection)
        let deleteExpired = try StoreStatement(
            """
            DELETE FROM \(table) WHERE expires <= ?1
            AND position = (SELECT position FROM \(table) ORDER BY position LIMIT 1)
            RETURNING marks
            """, on: connection)
        let firstExpiry = try StoreStatement(
            "SELECT expires FROM \(table) ORDER BY position LIMIT 1", on: connection)
        self.insert = insert
        self.deleteExpired = deleteExpired
        self.firstExpiry = firstExpiry
    }

    func insert(
        _ marks: some Collection<Mark>, at position: Int64, expires: StoreTime
    ) throws(StoreFault) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(marks.count * Mark.length)
        for mark in marks { mark.append(to: &bytes) }
        try insert.bind(position, at: 1)
        try insert.bind(expires.milliseconds, at: 2)
        try insert.bind(bytes.span, at: 3)
        try insert.run()
    }

    /// Deletes the expired marks of the oldest batches, up to about `limit`.
    func deleteExpired(at now: StoreTime, limit: Int) throws(StoreFault) -> [Mark] {
        try deleteExpired.bind(now.milliseconds, at: 1)
        var marks: [Mark] = []
        while marks.count < limit {
            let count = marks.count
            while try deleteExpired.step() {
                Self.forEach(in: deleteExpired) { marks.append($0) }
            }
            if marks.count == count { break }
        }
        return marks
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { firstExpiry.reset() }
        guard try firstExpiry.step() else { return nil }
        return StoreTime(milliseconds: firstExpiry.integer(0))
    }

    /// Passes every mark to `body`.
    static func load(
        from connection: borrowing Connection, _ body: (Mark) -> Void
    ) throws(StoreFault) {
        let select = try StoreStatement("SELECT marks FROM \(Mark.table)", on: connection)
        while try select.step() { forEach(in: select, body) }
    }

    private static func forEach(in row: borrowing StoreStatement, _ body: (Mark) -> Void) {
        row.withBytes(0) { bytes in
            for start in stride(from: 0, through: bytes.count - Mark.length, by: Mark.length) {
                body(Mark(bytes, at: start))
            }
        }
    }
}
