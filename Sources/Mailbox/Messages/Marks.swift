package import Base
import Delivery
import SQLite

/// What is known about a push that carries a mark.
package enum RepetitionAnswer: Equatable, Sendable {
    /// New, and now reserved.
    case new
    /// Accepted before.
    case repeated
    /// Being accepted, or perhaps accepted already: only the store will know.
    case undecided
    /// It is not remembered, because its owner has too many marks: a repetition would count as new.
    case unmarked
}

/// The marks of recently accepted pushes, in memory. It is a value that asks no clock.
struct MarkTable: ~Copyable {
    /// The marks of one owner: enough for a push every two seconds, in as much memory as a few
    /// messages.
    static let limit = 50_000

    struct Mark: FlatEntry {
        static let vacant = Mark(key: 0, owner: 0, isKept: false)

        let key: UInt64
        let owner: UInt32
        /// Whether it is on the disk.
        var isKept: Bool
    }

    /// The table has room for this many owners with a full share.
    private static let ofAll = 40

    private let limit: Int
    private var marks = FlatTable<Mark>()
    private var shares = FlatTable<MarkShare>()

    init(limit: Int = Self.limit) { self.limit = limit }

    mutating func reserve(_ mark: RepetitionMark, owner: UInt32) -> RepetitionAnswer {
        if let known = marks[mark.key] { return known.isKept ? .repeated : .undecided }
        guard shares.count(of: owner) < limit, marks.count < limit * Self.ofAll else {
            return .unmarked
        }
        add(mark, owner: owner, isKept: false)
        return .new
    }

    /// The push was not accepted.
    mutating func release(_ mark: RepetitionMark) {
        if marks[mark.key]?.isKept == false { remove(mark) }
    }

    /// The push was accepted, and its mark is on the disk.
    mutating func keep(_ mark: RepetitionMark, owner: UInt32) {
        guard marks.update(mark.key, { $0.isKept = true }) == nil else { return }
        add(mark, owner: owner, isKept: true)
    }

    mutating func remove(_ mark: RepetitionMark) {
        guard let removed = marks.remove(mark.key) else { return }
        shares.subtract(from: removed.owner)
    }

    private mutating func add(_ mark: RepetitionMark, owner: UInt32, isKept: Bool) {
        marks.set(Mark(key: mark.key, owner: owner, isKept: isKept))
        shares.add(to: owner)
    }
}

/// Recognises a repeated push body: the start of a hash of its endpoint, salt and sender's key. It
/// counts for the registration that received it.
package struct ReplayMark: Hashable, Sendable, StoredMark {
    package static let lifetime: UInt32 = 30 * 86_400
    static let table = "replay"
    static let length = 16

    let key: UInt64
    let check: UInt32
    let device: UInt32

    package init(_ digest: Digest, device: UInt32) {
        key = max(1, digest.words.0)
        check = UInt32(truncatingIfNeeded: digest.words.1 >> 32)
        self.device = device
    }

    init(_ bytes: Span<UInt8>, at start: Int) {
        key = max(1, bytes.word(at: start))
        check = bytes.halfWord(at: start + 8)
        device = bytes.halfWord(at: start + 12)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: key)
        bytes.append(bigEndian: check)
        bytes.append(bigEndian: device)
    }
}

/// The marks of recent bodies, in memory, so that a look-up needs no disk.
struct ReplayTable: ~Copyable {
    /// The marks of one registration: enough for a push every 26 seconds for a month, in at most
    /// 4.2 MB.
    static let limit = 100_000
    /// The marks of one owner, and of all owners, have room for this many registrations with a full
    /// share.
    private static let ofOwner = 10
    private static let ofAll = 40

    enum Answer: Equatable, Sendable {
        case new, repeated
        /// It is not remembered, because its registration has too many marks: a repetition counts
        /// as new.
        case unmarked
    }

    struct Entry: FlatEntry {
        static let vacant = Entry(key: 0, check: 0, device: 0, owner: 0)

        let key: UInt64
        let check: UInt32
        let device: UInt32
        /// The owner still pays for it after the registration has ended.
        let owner: UInt32
    }

    private let limit: Int
    private var entries = FlatTable<Entry>()
    private var shares = FlatTable<MarkShare>()
    private var owners = FlatTable<MarkShare>()

    init(limit: Int = Self.limit) { self.limit = limit }

    func check(_ mark: ReplayMark, owner: UInt32) -> Answer {
        if entries[mark.key]?.check == mark.check { return .repeated }
        let hasRoom =
            shares.count(of: mark.device) < limit
            && owners.count(of: owner) < limit * Self.ofOwner
            && entries.count < limit * Self.ofAll
        return hasRoom ? .new : .unmarked
    }

    mutating func insert(_ mark: ReplayMark, owner: UInt32) {
        remove(mark)
        entries.set(
            Entry(key: mark.key, check: mark.check, device: mark.device, owner: owner))
        shares.add(to: mark.device)
        owners.add(to: owner)
    }

    mutating func remove(_ mark: ReplayMark) {
        guard let removed = entries.remove(mark.key) else { return }
        shares.subtract(from: removed.device)
        owners.subtract(from: removed.owner)
    }
}

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

    /// `row` consists of the column of marks.
    static func forEach(
        in row: borrowing some StoredRow & ~Copyable, _ body: (Mark) -> Void
    ) {
        row.withBytes(0) { bytes in
            for start in stride(from: 0, through: bytes.count - Mark.length, by: Mark.length) {
                body(Mark(bytes, at: start))
            }
        }
    }
}
