import Delivery
import SQLite
import Topics

/// Which messages of topics have files. Only the writer's thread uses it.
final class StoredFiles {
    private let transaction: Transaction
    private let sealers: TopicSealers
    private let insert: StoreStatement
    private let endOfMessage: StoreStatement
    private let endOfScheduled: StoreStatement
    private let endUnkept: StoreStatement
    private let endOfTopic: StoreStatement
    private let endExpired: StoreStatement
    private let firstExpiry: StoreStatement

    init(_ transaction: Transaction, _ sealers: TopicSealers) throws(StoreFault) {
        func deletion(_ condition: String) throws(StoreFault) -> StoreStatement {
            try StoreStatement(
                "DELETE FROM topic_file WHERE \(condition) RETURNING \(KeptFile.list)",
                on: transaction.connection)
        }
        insert = try StoreStatement(
            """
            INSERT INTO topic_file (row, mark, topic, owner, message, size, expires, sealed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, on: transaction.connection)
        endOfMessage = try deletion(
            "topic = ?1 AND message = (SELECT id FROM topic_message WHERE place = ?2)")
        endOfScheduled = try deletion(
            """
            topic = ?1 AND message IN (SELECT id FROM topic_scheduled
            WHERE topic = ?1 AND (sequence = ?2 OR id = ?3))
            """)
        endUnkept = try deletion(
            """
            topic = ?1 AND message = ?2 AND NOT EXISTS (SELECT 1 FROM topic_message
            WHERE topic_message.topic = ?1 AND id = ?2)
            """)
        endOfTopic = try deletion("topic = ?1")
        endExpired = try deletion(
            "row IN (SELECT row FROM topic_file WHERE expires <= ?1 ORDER BY expires LIMIT ?2)")
        firstExpiry = try StoreStatement(
            "SELECT expires FROM topic_file ORDER BY expires LIMIT 1", on: transaction.connection)
        self.transaction = transaction
        self.sealers = sealers
    }

    /// The message of this topic has this file. One that was written for another topic is left out.
    func add(
        _ received: ReceivedFile, of message: TopicMessageID, in device: UInt32,
        _ owner: TopicOwner, until end: StoreTime
    ) throws(StoreFault) {
        let file = received.file
        guard file.device == device, file.owner == owner.row else { return }
        let row = transaction.nextPosition()
        let record = FileRecord(file, name: received.name, type: received.type)
        let sealed = try sealers.seal(record, at: FileRecord.place(row), of: owner)
        try insert.bind(row, at: 1)
        try insert.bind(file.mark.bytes, at: 2)
        try insert.bind(Int64(device), at: 3)
        try insert.bind(Int64(file.owner), at: 4)
        try insert.bind(Int64(bitPattern: message.number ?? 0), at: 5)
        try insert.bind(Int64(file.size), at: 6)
        try insert.bind(end.milliseconds, at: 7)
        try insert.bind(sealed.span, at: 8)
        try insert.run()
        transaction.effects.files.append(.kept(received))
        transaction.wake(at: end)
    }

    /// A message leaves the history. `key` is that of its row.
    func end(at key: Int64, of device: UInt32) throws(StoreFault) {
        try endOfMessage.bind(Int64(device), at: 1)
        try endOfMessage.bind(key, at: 2)
        try run(endOfMessage)
    }

    /// Messages that are not due yet are taken back: those of the sequence, and that of the id.
    func endScheduled(
        _ sequence: [UInt8], or id: TopicMessageID?, of device: UInt32
    ) throws(StoreFault) {
        try endOfScheduled.bind(Int64(device), at: 1)
        try endOfScheduled.bind(sequence.span, at: 2)
        try endOfScheduled.bind(id?.number.map { Int64(bitPattern: $0) }, at: 3)
        try run(endOfScheduled)
    }

    /// A message that was to come later did not.
    func endUnlessCame(_ id: TopicMessageID, to device: UInt32) throws(StoreFault) {
        try endUnkept.bind(Int64(device), at: 1)
        try endUnkept.bind(Int64(bitPattern: id.number ?? 0), at: 2)
        try run(endUnkept)
    }

    func endAll(of device: UInt32) throws(StoreFault) {
        try endOfTopic.bind(Int64(device), at: 1)
        try run(endOfTopic)
    }

    /// Returns how many have expired.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try endExpired.bind(now.milliseconds, at: 1)
        try endExpired.bind(Int64(limit), at: 2)
        return try run(endExpired)
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { firstExpiry.reset() }
        guard try firstExpiry.step() else { return nil }
        return StoreTime(milliseconds: firstExpiry.integer(0))
    }

    @discardableResult
    private func run(_ deletion: borrowing StoreStatement) throws(StoreFault) -> Int {
        var count = 0
        while try deletion.step() {
            if let file = KeptFile(deletion) { transaction.effects.files.append(.ended(file)) }
            count += 1
        }
        return count
    }
}
