import Base
import Crypto
package import Delivery
import SQLite
import Topics

/// A message that comes to a topic later.
package struct ScheduledPost: Sendable, Confidential {
    package let post: TopicPost
    package let address: Address
    package let due: StoreTime
    /// The engine of the topic gets it, too. Otherwise it is for readers of the topic alone.
    package let isShown: Bool

    package init(_ post: TopicPost, to address: Address, at due: StoreTime, isShown: Bool) {
        (self.post, self.address, self.due, self.isShown) = (post, address, due, isShown)
    }
}

/// The writer's access to messages that are not due yet.
final class ScheduledRows {
    /// A row, before it is opened.
    struct Row {
        let number: Int64
        let address: Address
        let id: TopicMessageID
        let due: StoreTime
        let sealed: [UInt8]
    }

    static func place(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: "topic_scheduled", row: row, column: "sealed")
    }

    /// What `row` reads.
    static let columns = "row, topic, subscription, id, due, sealed"

    static func row(_ row: borrowing StoreStatement) -> Row {
        Row(
            number: row.integer(0),
            address: Address(
                subscription: UInt32(clamping: row.integer(2)),
                device: UInt32(clamping: row.integer(1))),
            id: TopicMessageID(number: UInt64(bitPattern: row.integer(3))),
            due: StoreTime(milliseconds: row.integer(4)), sealed: row.bytes(5))
    }

    private let insert: StoreStatement
    private let findDue: StoreStatement
    private let firstDue: StoreStatement
    private let putOff: StoreStatement
    private let delete: StoreStatement
    private let deleteSequence: StoreStatement
    private let deleteID: StoreStatement
    private let findID: StoreStatement
    private let count: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        insert = try StoreStatement(
            """
            INSERT INTO topic_scheduled (row, topic, subscription, id, sequence, due, sealed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, on: connection)
        findDue = try StoreStatement(
            """
            SELECT \(Self.columns) FROM topic_scheduled
            WHERE due <= ?1 ORDER BY due, row LIMIT ?2
            """, on: connection)
        firstDue = try StoreStatement(
            "SELECT due FROM topic_scheduled ORDER BY due LIMIT 1", on: connection)
        putOff = try StoreStatement(
            "UPDATE topic_scheduled SET due = ?2 WHERE row = ?1", on: connection)
        delete = try StoreStatement("DELETE FROM topic_scheduled WHERE row = ?1", on: connection)
        deleteSequence = try StoreStatement(
            "DELETE FROM topic_scheduled WHERE topic = ?1 AND sequence = ?2",
            on: connection)
        deleteID = try StoreStatement(
            "DELETE FROM topic_scheduled WHERE topic = ?1 AND id = ?2", on: connection)
        findID = try StoreStatement(
            "SELECT 1 FROM topic_scheduled WHERE topic = ?1 AND id = ?2", on: connection)
        count = try StoreStatement(
            "SELECT count(*) FROM topic_scheduled WHERE topic = ?1", on: connection)
    }

    func insert(_ row: Row, sequence: [UInt8]?) throws(StoreFault) {
        try insert.bind(row.number, at: 1)
        try insert.bind(Int64(row.address.device), at: 2)
        try insert.bind(Int64(row.address.subscription), at: 3)
        try insert.bind(Int64(bitPattern: row.id.number ?? 0), at: 4)
        try insert.bind(sequence, at: 5)
        try insert.bind(row.due.milliseconds, at: 6)
        try insert.bind(row.sealed.span, at: 7)
        try insert.run()
    }

    func due(at now: StoreTime, limit: Int) throws(StoreFault) -> [Row] {
        try findDue.bind(now.milliseconds, at: 1)
        try findDue.bind(Int64(limit), at: 2)
        var rows: [Row] = []
        while try findDue.step() { rows.append(Self.row(findDue)) }
        return rows
    }

    func nextDue() throws(StoreFault) -> StoreTime? {
        defer { firstDue.reset() }
        guard try firstDue.step() else { return nil }
        return StoreTime(milliseconds: firstDue.integer(0))
    }

    func putOff(_ row: Int64, until due: StoreTime) throws(StoreFault) {
        try putOff.bind(row, at: 1)
        try putOff.bind(due.milliseconds, at: 2)
        try putOff.run()
    }

    func delete(_ row: Int64) throws(StoreFault) {
        try delete.bind(row, at: 1)
        try delete.run()
    }

    func delete(sequence: [UInt8], of device: UInt32) throws(StoreFault) {
        try deleteSequence.bind(Int64(device), at: 1)
        try deleteSequence.bind(sequence.span, at: 2)
        try deleteSequence.run()
    }

    func has(_ id: TopicMessageID, in device: UInt32) throws(StoreFault) -> Bool {
        guard let number = id.number else { return false }
        try findID.bind(Int64(device), at: 1)
        try findID.bind(Int64(bitPattern: number), at: 2)
        defer { findID.reset() }
        return try findID.step()
    }

    func delete(_ id: TopicMessageID, of device: UInt32) throws(StoreFault) {
        guard let number = id.number else { return }
        try deleteID.bind(Int64(device), at: 1)
        try deleteID.bind(Int64(bitPattern: number), at: 2)
        try deleteID.run()
    }

    func count(of device: UInt32) throws(StoreFault) -> Int {
        try count.bind(Int64(device), at: 1)
        defer { count.reset() }
        return try count.step() ? Int(count.integer(0)) : 0
    }
}

/// The sealed part of a message that is not due yet.
struct ScheduledRecord: Confidential {
    var time: Int64 = 0
    var lifetime: UInt32 = 0
    var isShown = false
    var message = TopicRecord()

    init() {}

    init(_ scheduled: ScheduledPost) {
        let post = scheduled.post
        (time, lifetime, isShown) = (post.message.time, post.lifetime, scheduled.isShown)
        message = TopicRecord(post.message, of: scheduled.address.device)
    }

    /// Nil if it is not that of this row.
    func scheduled(_ row: ScheduledRows.Row) -> ScheduledPost? {
        message.message(row.id, .message, time: time, of: row.address.device).map { message in
            ScheduledPost(
                TopicPost(message, keptFor: lifetime), to: row.address, at: row.due,
                isShown: isShown)
        }
    }
}

extension ScheduledRecord: Coded {
    static var blank: ScheduledRecord { ScheduledRecord() }

    mutating func code(_ coder: inout Coder) {
        coder.number(&time)
        coder.number(&lifetime)
        coder.flag(&isShown)
        message.code(&coder)
    }
}
