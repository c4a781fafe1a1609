import Base
import Crypto
import Delivery
import SQLite
package import Topics

/// The writer's access to questions. The key of a row is the id of the message that shows it.
///
/// An open one is due when it expires, and one that has ended when its result is forgotten.
struct QuestionRows {
    /// A row, before it is opened.
    struct Row {
        let id: TopicMessageID
        let device: UInt32
        let isEnded: Bool
        let due: StoreTime
        let sealed: [UInt8]
    }

    /// What `row` reads.
    private static let columns = "id, topic, ended, due, sealed"

    private static func place(_ id: TopicMessageID) -> Sealer.Place {
        Sealer.Place(
            table: "question", row: Int64(bitPattern: id.number ?? 0), column: "sealed")
    }

    static func seal(
        _ question: Question, _ sealers: TopicSealers, of owner: TopicOwner
    ) throws(StoreFault) -> [UInt8] {
        try sealers.seal(question, at: place(question.id), of: owner)
    }

    /// Nil for what nobody can read.
    static func open(
        _ row: Row, _ sealers: TopicSealers, of owner: TopicOwner
    ) throws(StoreFault) -> Question? {
        let question: Question? = try sealers.open(
            row.sealed.span, at: place(row.id), of: owner)
        guard let question, question.id == row.id, question.device == row.device else {
            return nil
        }
        return question
    }

    private static func row(_ row: borrowing StoreStatement) -> Row {
        Row(
            id: TopicMessageID(number: UInt64(bitPattern: row.integer(0))),
            device: UInt32(clamping: row.integer(1)), isEnded: row.integer(2) != 0,
            due: StoreTime(milliseconds: row.integer(3)), sealed: row.bytes(4))
    }

    static func find(
        _ id: TopicMessageID, on connection: borrowing Connection
    ) throws(StoreFault) -> Row? {
        guard let number = id.number else { return nil }
        let select = try connection.statement(
            "SELECT \(columns) FROM question WHERE id = ?1", Int64(bitPattern: number))
        return try select.step() ? row(select) : nil
    }

    static func find(
        key: [UInt8], of device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> Row? {
        let select = try connection.statement(
            "SELECT \(columns) FROM question WHERE topic = ?1 AND key = ?2", device, key)
        return try select.step() ? row(select) : nil
    }

    static func insert(
        _ question: Question, of holder: UInt32, key: [UInt8]?, until due: StoreTime,
        sealed: [UInt8], on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            """
            INSERT INTO question (id, topic, holder, key, ended, due, sealed)
            VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)
            """, number(question.id), question.device, holder, key, due.milliseconds, sealed)
    }

    static func end(
        _ question: Question, until due: StoreTime, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "UPDATE question SET ended = 1, due = ?2, sealed = ?3 WHERE id = ?1",
            number(question.id), due.milliseconds, sealed)
    }

    static func putOff(
        _ id: TopicMessageID, until due: StoreTime, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "UPDATE question SET due = ?2 WHERE id = ?1", number(id), due.milliseconds)
    }

    static func delete(
        _ id: TopicMessageID, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run("DELETE FROM question WHERE id = ?1", number(id))
    }

    /// Returns which ones the topic had.
    static func deleteAll(
        of device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [TopicMessageID] {
        let delete = try connection.statement(
            "DELETE FROM question WHERE topic = ?1 RETURNING id", device)
        var ids: [TopicMessageID] = []
        while try delete.step() {
            ids.append(TopicMessageID(number: UInt64(bitPattern: delete.integer(0))))
        }
        return ids
    }

    /// How many of a topic are open, and how many of those count for one caller.
    static func countOpen(
        of device: UInt32, by holder: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> (all: Int, own: Int) {
        let select = try connection.statement(
            """
            SELECT count(*), coalesce(sum(holder = ?2), 0) FROM question
            WHERE topic = ?1 AND ended = 0
            """, device, holder)
        guard try select.step() else { return (0, 0) }
        return (Int(select.integer(0)), Int(select.integer(1)))
    }

    /// The result that gives way to this one, if its topic has more than `limit`. Whoever has half of
    /// them already takes no more from others: the oldest of its own goes, and else the oldest of all.
    static func excess(
        besides newest: Question, limit: Int, on connection: borrowing Connection
    ) throws(StoreFault) -> TopicMessageID? {
        let device = newest.device
        let more = try connection.statement(
            "SELECT 1 FROM question WHERE topic = ?1 AND ended = 1 LIMIT 1 OFFSET ?2",
            device, Int64(limit))
        guard try more.step() else { return nil }
        // The newest is one of its holder's.
        let half = try connection.statement(
            """
            SELECT holder FROM question
            WHERE topic = ?1 AND holder = (SELECT holder FROM question WHERE id = ?2) AND ended = 1
            LIMIT 1 OFFSET ?3
            """, device, number(newest.id), Int64((limit + 1) / 2))
        guard try half.step() else {
            return try first(
                connection.statement(
                    """
                    SELECT id FROM question WHERE topic = ?1 AND ended = 1 AND id <> ?2
                    ORDER BY due LIMIT 1
                    """, device, number(newest.id)))
        }
        return try first(
            connection.statement(
                """
                SELECT id FROM question
                WHERE topic = ?1 AND holder = ?3 AND ended = 1 AND id <> ?2 ORDER BY due LIMIT 1
                """, device, number(newest.id), half.integer(0)))
    }

    private static func first(
        _ select: borrowing StoreStatement
    ) throws(StoreFault) -> TopicMessageID? {
        try select.step()
            ? TopicMessageID(number: UInt64(bitPattern: select.integer(0))) : nil
    }

    /// Which messages of a topic show open ones, by the keys of their rows.
    static func keysOfOpen(
        in device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> Set<Int64> {
        let select = try connection.statement(
            """
            SELECT place FROM question JOIN topic_message ON topic_message.id = question.id
            AND topic_message.topic = question.topic
            WHERE question.topic = ?1 AND ended = 0
            """, device)
        var keys: Set<Int64> = []
        while try select.step() { keys.insert(select.integer(0)) }
        return keys
    }

    static func open(
        in device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [Row] {
        let select = try connection.statement(
            "SELECT \(columns) FROM question WHERE topic = ?1 AND ended = 0", device)
        return try rows(select)
    }

    static func due(
        at now: StoreTime, limit: Int, on connection: borrowing Connection
    ) throws(StoreFault) -> [Row] {
        let select = try connection.statement(
            "SELECT \(columns) FROM question WHERE due <= ?1 ORDER BY due LIMIT ?2",
            now.milliseconds, Int64(limit))
        return try rows(select)
    }

    private static func rows(
        _ select: borrowing StoreStatement
    ) throws(StoreFault) -> [Row] {
        var rows: [Row] = []
        while try select.step() { rows.append(row(select)) }
        return rows
    }

    static func nextDue(on connection: borrowing Connection) throws(StoreFault) -> StoreTime? {
        let select = try connection.statement("SELECT due FROM question ORDER BY due LIMIT 1")
        return try select.step() ? StoreTime(milliseconds: select.integer(0)) : nil
    }

    private static func number(_ id: TopicMessageID) -> Int64 {
        Int64(bitPattern: id.number ?? 0)
    }
}

/// A question has ended, or is gone.
package struct QuestionNews: Sendable {
    package let id: TopicMessageID

    /// Whoever waits for it listens to this row. Several may have the same one.
    static func row(_ id: TopicMessageID) -> UInt32 {
        UInt32(truncatingIfNeeded: id.number ?? 0)
    }
}
