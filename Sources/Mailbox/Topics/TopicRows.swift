import Base
import Crypto
import Delivery
import SQLite
import Topics

/// The writer's access to the history of topics.
///
/// The key of a row is the number of its owner and the position, so that the history of an owner is
/// in one place of the file, in its order.
final class TopicRows {
    /// A message as its row has it, before it is opened.
    struct Row {
        static let columns = "place, topic, id, kind, time, sealed"

        let position: Int64
        let device: UInt32
        let id: TopicMessageID
        let kind: TopicMessage.Kind
        let time: Int64
    }

    /// Positions have this many bits of a row's key, so that a restore can skip billions of them, many
    /// times.
    static let positionBits: Int64 = 42
    static let positionEnd: Int64 = 1 << positionBits
    private static let positionMask = positionEnd - 1

    static func key(_ position: Int64, of owner: UInt32) -> Int64 {
        Int64(owner) << positionBits | position
    }

    static func place(_ position: Int64) -> Sealer.Place {
        Sealer.Place(table: "topic_message", row: position, column: "sealed")
    }

    /// As SQL: the sum of what an owner's topics have, and of what comes to them later.
    static func kept(_ column: String, _ ofScheduled: String) -> String {
        """
        (SELECT coalesce(sum(\(column)), 0) FROM topic
        WHERE topic.owner = owner.row AND ended = 0)
        + (SELECT coalesce(sum(\(ofScheduled)), 0) FROM topic_scheduled
        WHERE topic IN (SELECT device FROM topic WHERE topic.owner = owner.row))
        """
    }

    static func position(ofKey key: Int64) -> Int64 { key & positionMask }
    static func owner(ofKey key: Int64) -> UInt32 { UInt32(clamping: key >> positionBits) }

    static func row(_ row: borrowing some StoredRow & ~Copyable) -> Row? {
        guard let kind = TopicMessage.Kind(rawValue: UInt8(clamping: row.integer(3))) else {
            return nil
        }
        return Row(
            position: position(ofKey: row.integer(0)), device: UInt32(clamping: row.integer(1)),
            id: TopicMessageID(number: UInt64(bitPattern: row.integer(2))), kind: kind,
            time: row.integer(4))
    }

    /// In which order of their places rows are read.
    enum Order: String {
        case oldestFirst = "ASC"
        case newestFirst = "DESC"
    }

    /// The message at a position, if it is of this kind, with the size of its row. Nil as below.
    static func entry(
        at position: Int64, ofKind kind: TopicMessage.Kind? = nil, of owner: TopicOwner,
        _ sealers: TopicSealers, _ connection: borrowing Connection
    ) throws(StoreFault) -> (entry: TopicEntry, size: Int)? {
        let select = try connection.statement(
            "SELECT \(Row.columns) FROM topic_message WHERE place = ?1 AND kind = coalesce(?2, kind)",
            key(position, of: owner.row), kind.map { Int64($0.rawValue) })
        guard try select.step(), let entry = try entry(select, of: owner, sealers) else {
            return nil
        }
        return (entry, select.withBytes(5) { $0.count })
    }

    /// Nil for what does not open, or is known by its place alone.
    static func entry(
        _ row: borrowing StoreStatement, of owner: TopicOwner, _ sealers: TopicSealers
    ) throws(StoreFault) -> TopicEntry? {
        guard !row.isNull(5), let found = Self.row(row) else { return nil }
        let sealed = row.bytes(5)
        let record: TopicRecord? = try sealers.open(
            sealed.span, at: place(found.position), of: owner)
        return record?.message(found.id, found.kind, time: found.time, of: found.device).map {
            TopicEntry(position: found.position, device: found.device, message: $0)
        }
    }

    private let insert: StoreStatement
    private let setPosition: StoreStatement
    private let erase: StoreStatement
    private let forget: StoreStatement
    private let findOldest: StoreStatement
    private let findOfSequence: StoreStatement
    private let findOfID: StoreStatement
    private let findExpired: StoreStatement
    private let firstExpiry: StoreStatement
    private let findOldestGone: StoreStatement
    private let findID: StoreStatement
    private let findAtPlace: StoreStatement
    private let setEvicted: StoreStatement
    private let count: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        insert = try StoreStatement(
            """
            INSERT INTO topic_message
            (place, topic, id, sequence, kind, time, expires, size, sealed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """, on: connection)
        setPosition = try StoreStatement(
            "UPDATE topic_owner SET position = ?2 WHERE row = ?1", on: connection)
        erase = try StoreStatement(
            """
            UPDATE topic_message SET sealed = NULL, sequence = NULL, size = 0, expires = ?2
            WHERE place = ?1
            """,
            on: connection)
        forget = try StoreStatement(
            "DELETE FROM topic_message WHERE place = ?1", on: connection)
        findOldest = try StoreStatement(
            """
            SELECT place, size, expires, kind FROM topic_message
            WHERE topic = ?1 AND sealed IS NOT NULL ORDER BY place LIMIT ?2
            """, on: connection)
        findOfSequence = try StoreStatement(
            """
            SELECT place, size, expires, kind FROM topic_message WHERE topic = ?1 AND sequence = ?2
            AND sealed IS NOT NULL
            """, on: connection)
        findOfID = try StoreStatement(
            """
            SELECT place, size, expires, kind FROM topic_message WHERE topic = ?1 AND id = ?2
            AND sealed IS NOT NULL
            """, on: connection)
        findID = try StoreStatement(
            "SELECT 1 FROM topic_message WHERE id = ?2 AND topic = ?1", on: connection)
        findExpired = try StoreStatement(
            """
            SELECT place, size, topic, sealed IS NULL, kind FROM topic_message
            WHERE expires <= ?1 ORDER BY expires LIMIT ?2
            """, on: connection)
        firstExpiry = try StoreStatement(
            "SELECT expires FROM topic_message ORDER BY expires LIMIT 1", on: connection)
        findOldestGone = try StoreStatement(
            """
            SELECT place FROM topic_message WHERE topic = ?1 AND sealed IS NULL
            ORDER BY place LIMIT ?2
            """, on: connection)
        findAtPlace = try StoreStatement(
            """
            SELECT place, size, topic, kind FROM topic_message WHERE place = ?1
            AND sealed IS NOT NULL
            """, on: connection)
        setEvicted = try StoreStatement(
            """
            UPDATE topic SET evicted = ?2,
            evicted_time = (SELECT time FROM topic_message WHERE place = ?3)
            WHERE device = ?1 AND evicted < ?2
            """, on: connection)
        count = try StoreStatement(
            """
            UPDATE topic SET count = count + ?2, bytes = bytes + ?3, gone = gone + ?4
            WHERE device = ?1 AND ended = 0 RETURNING count, bytes, gone
            """, on: connection)
    }

    /// A row that the history still has, or that it only knows the place of.
    struct Found {
        let key: Int64
        let size: Int
        var device: UInt32 = 0
        var isGone = false
        var end = StoreTime(milliseconds: 0)
        var kind = TopicMessage.Kind.message

        /// What it takes of a topic's room. What an owner has read needs no more of it than what is new.
        var amount: Amount { Amount(of: kind, size: size) }
    }

    func insert(
        _ message: TopicMessage, of device: UInt32, sequence: [UInt8]?, at key: Int64,
        until end: StoreTime, sealed: [UInt8]?
    ) throws(StoreFault) {
        guard let number = message.id.number else {
            preconditionFailure("the id of a message of a topic has a number")
        }
        try insert.bind(key, at: 1)
        try insert.bind(Int64(device), at: 2)
        try insert.bind(Int64(bitPattern: number), at: 3)
        try insert.bind(sequence, at: 4)
        try insert.bind(Int64(message.kind.rawValue), at: 5)
        try insert.bind(message.time, at: 6)
        try insert.bind(end.milliseconds, at: 7)
        try insert.bind(Int64(sealed?.count ?? 0), at: 8)
        try insert.bind(sealed, at: 9)
        try insert.run()
    }

    func set(position: Int64, of owner: UInt32) throws(StoreFault) {
        try setPosition.bind(Int64(owner), at: 1)
        try setPosition.bind(position, at: 2)
        try setPosition.run()
    }

    /// What a message said is no more. Its place stays known to readers who go on from there.
    func erase(_ found: Found, until end: StoreTime) throws(StoreFault) {
        try erase.bind(found.key, at: 1)
        try erase.bind(end.milliseconds, at: 2)
        try erase.run()
    }

    func setEvicted(_ found: Found) throws(StoreFault) {
        try setEvicted.bind(Int64(found.device), at: 1)
        try setEvicted.bind(Self.position(ofKey: found.key), at: 2)
        try setEvicted.bind(found.key, at: 3)
        try setEvicted.run()
    }

    func forget(_ key: Int64) throws(StoreFault) {
        try forget.bind(key, at: 1)
        try forget.run()
    }

    func message(at key: Int64) throws(StoreFault) -> Found? {
        try findAtPlace.bind(key, at: 1)
        defer { findAtPlace.reset() }
        guard try findAtPlace.step() else { return nil }
        return Found(
            key: findAtPlace.integer(0), size: Int(findAtPlace.integer(1)),
            device: UInt32(clamping: findAtPlace.integer(2)), kind: Self.kind(findAtPlace, 3))
    }

    func oldest(of device: UInt32, _ count: Int) throws(StoreFault) -> [Found] {
        try findOldest.bind(Int64(device), at: 1)
        try findOldest.bind(Int64(count), at: 2)
        return try found(findOldest, of: device)
    }

    func oldestGone(of device: UInt32, _ count: Int) throws(StoreFault) -> [Int64] {
        try findOldestGone.bind(Int64(device), at: 1)
        try findOldestGone.bind(Int64(count), at: 2)
        var keys: [Int64] = []
        while try findOldestGone.step() { keys.append(findOldestGone.integer(0)) }
        return keys
    }

    func all(of sequence: [UInt8], in device: UInt32) throws(StoreFault) -> [Found] {
        try findOfSequence.bind(Int64(device), at: 1)
        try findOfSequence.bind(sequence.span, at: 2)
        return try found(findOfSequence, of: device)
    }

    func all(of id: TopicMessageID, in device: UInt32) throws(StoreFault) -> [Found] {
        guard let number = id.number else { return [] }
        try findOfID.bind(Int64(device), at: 1)
        try findOfID.bind(Int64(bitPattern: number), at: 2)
        return try found(findOfID, of: device)
    }

    /// Whether a topic has the message, or had it a while ago.
    func has(_ id: TopicMessageID, in device: UInt32) throws(StoreFault) -> Bool {
        guard let number = id.number else { return false }
        try findID.bind(Int64(device), at: 1)
        try findID.bind(Int64(bitPattern: number), at: 2)
        defer { findID.reset() }
        return try findID.step()
    }

    func expired(at now: StoreTime, limit: Int) throws(StoreFault) -> [Found] {
        try findExpired.bind(now.milliseconds, at: 1)
        try findExpired.bind(Int64(limit), at: 2)
        var rows: [Found] = []
        while try findExpired.step() {
            rows.append(
                Found(
                    key: findExpired.integer(0), size: Int(findExpired.integer(1)),
                    device: UInt32(clamping: findExpired.integer(2)),
                    isGone: findExpired.integer(3) != 0, kind: Self.kind(findExpired, 4)))
        }
        return rows
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { firstExpiry.reset() }
        guard try firstExpiry.step() else { return nil }
        return StoreTime(milliseconds: firstExpiry.integer(0))
    }

    /// Adds to what a topic has, and returns what it has then; nil if the topic has ended.
    func add(_ change: Amount, to device: UInt32) throws(StoreFault) -> Amount? {
        try count.bind(Int64(device), at: 1)
        try count.bind(Int64(change.count), at: 2)
        try count.bind(Int64(change.bytes), at: 3)
        try count.bind(Int64(change.gone), at: 4)
        defer { count.reset() }
        guard try count.step() else { return nil }
        return Amount(
            count: Int(count.integer(0)), bytes: Int(count.integer(1)),
            gone: Int(count.integer(2)))
    }

    /// How much a topic has, or by how much that changes.
    struct Amount: Equatable {
        var count = 0
        var bytes = 0
        /// Messages of which only the place is known.
        var gone = 0

        init(count: Int = 0, bytes: Int = 0, gone: Int = 0) {
            (self.count, self.bytes, self.gone) = (count, bytes, gone)
        }

        init(of kind: TopicMessage.Kind, size: Int) {
            self.init(count: kind == .dismissal ? 0 : 1, bytes: size)
        }
    }

    private static func kind(
        _ statement: borrowing StoreStatement, _ column: Int32
    ) -> TopicMessage.Kind {
        TopicMessage.Kind(rawValue: UInt8(clamping: statement.integer(column))) ?? .message
    }

    private func found(
        _ statement: borrowing StoreStatement, of device: UInt32
    ) throws(StoreFault) -> [Found] {
        var rows: [Found] = []
        while try statement.step() {
            rows.append(
                Found(
                    key: statement.integer(0), size: Int(statement.integer(1)), device: device,
                    end: StoreTime(milliseconds: statement.integer(2)),
                    kind: Self.kind(statement, 3)))
        }
        return rows
    }
}
