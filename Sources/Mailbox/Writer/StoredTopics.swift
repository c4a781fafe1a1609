import Base
import Crypto
import Delivery
import SQLite
import Topics

/// The names of topics, and what their histories have. Only the writer's thread uses it.
final class StoredTopics {
    /// How long the place of a message stays known after what it said is gone.
    static let goneLifetime: UInt32 = 30 * 86_400
    /// So many of them for each topic: more are made within minutes by a sender who never stops.
    static let goneLimit = 100_000
    static let goneAtOnce = 1_000

    let transaction: Transaction
    let rows: TopicRows
    let scheduledRows: ScheduledRows
    let sealers = TopicSealers()
    let files: StoredFiles
    let callbacks: StoredCallbacks
    // Exclusivity is unchecked: only one thread uses these properties, one access at a time.
    @exclusivity(unchecked) var owners: [UInt32: TopicOwner] = [:]
    /// Owners to whom this batch has given positions.
    @exclusivity(unchecked) var moved: Set<UInt32> = []

    init(_ transaction: Transaction, _ callbacks: StoredCallbacks) throws(StoreFault) {
        self.callbacks = callbacks
        rows = try TopicRows(on: transaction.connection)
        scheduledRows = try ScheduledRows(on: transaction.connection)
        files = try StoredFiles(transaction, sealers)
        self.transaction = transaction
        try TopicNameRows.forEach(on: transaction.connection) { name, device in
            transaction.index.topics.set(name, device)
        }
    }

    /// What is known of owners may be from a batch that was not committed, or older than what
    /// another store wrote.
    func begin() {
        owners.removeAll(keepingCapacity: true)
        moved.removeAll(keepingCapacity: true)
    }

    /// Call this at the end of the batch.
    func keepPositions() throws(StoreFault) {
        for owner in moved {
            guard let position = owners[owner]?.position else { continue }
            try rows.set(position: position, of: owner)
        }
    }
}

/// Topics come and go with their registrations.
extension StoredTopics {
    /// Whether no other topic has one of its names.
    func isFree(_ registration: Registration) throws(StoreFault) -> Bool {
        for name in try digests(of: registration.topicNames) {
            if let holder = try TopicNameRows.device(of: name, on: transaction.connection),
                holder != registration.device
            {
                return false
            }
        }
        return true
    }

    /// False if an account can have no history.
    func begin(historyOf registration: Registration) throws(StoreFault) -> Bool {
        let known = try transaction.connection.number(
            "SELECT count(*) FROM topic WHERE device = ?1", registration.device)
        guard known == 0, try refusal(of: registration) == nil else { return false }
        try add(registration)
        return true
    }

    /// What to answer instead of making a topic; nil if it can be made.
    func refusal(of registration: Registration) throws(StoreFault) -> StoreOutcome? {
        guard try isFree(registration) else { return .registration(.nameTaken) }
        let owner = try transaction.connection.number(
            "SELECT row FROM owner WHERE name = ?1", registration.owner)
        let count = try transaction.connection.number(
            "SELECT count(*) FROM topic WHERE owner = ?1 AND ended = 0", owner)
        guard count < OwnerLimits.topics, owner <= TopicOwner.last else {
            return .registration(.tooMany)
        }
        if case .unreadable = try find(UInt32(clamping: owner)) { return .unavailable }
        return nil
    }

    func add(_ registration: Registration) throws(StoreFault) {
        let device = registration.device
        let owner = try transaction.owner(ofDevice: device)
        try transaction.connection.run(
            """
            INSERT INTO topic
            (device, owner, count, bytes, gone, ended, evicted, evicted_time)
            VALUES (?1, ?2, 0, 0, 0, 0, 0, 0)
            """, device, owner)
        for name in try digests(of: registration.topicNames) { try add(name, to: device) }
        let row = UInt32(clamping: owner)
        guard case .none = try find(row) else { return }
        owners[row] = try TopicOwner.make(row, registration.owner, in: transaction)
    }

    /// The topic has other names than before, which are free.
    func change(_ registration: Registration) throws(StoreFault) {
        let wanted = try digests(of: registration.topicNames)
        let present = try TopicNameRows.names(
            of: registration.device, on: transaction.connection)
        for name in present where !wanted.contains(name) { try remove(name) }
        for name in wanted where !present.contains(name) {
            try add(name, to: registration.device)
        }
    }

    private func add(_ name: Digest, to device: UInt32) throws(StoreFault) {
        try TopicNameRows.insert(name, of: device, on: transaction.connection)
        transaction.effects.changes.append(.topicName(name, device))
    }

    private func remove(_ name: Digest) throws(StoreFault) {
        try TopicNameRows.delete(name, on: transaction.connection)
        transaction.effects.changes.append(.topicName(name, nil))
    }

    func set(_ picture: TopicPicture?, of device: UInt32) throws(StoreFault) -> StoreOutcome {
        let found = try admission(to: device)
        guard case .owner(let owner) = found else { return found.answer }
        try deletePicture(of: device)
        guard let picture else { return .done }
        let sealed = try sealers.seal(picture, at: TopicPicture.place(device), of: owner)
        try transaction.connection.run(
            "INSERT INTO topic_picture VALUES (?1, ?2)", device, sealed)
        return .done
    }

    private func deletePicture(of device: UInt32) throws(StoreFault) {
        try transaction.connection.run("DELETE FROM topic_picture WHERE topic = ?1", device)
    }

    /// Ends a topic; does nothing for what is none. From now on nobody can ask for what it had.
    func remove(device: UInt32) throws(StoreFault) {
        let ended = try transaction.connection.rows(
            "UPDATE topic SET ended = 1 WHERE device = ?1 RETURNING device", device)
        guard !ended.isEmpty else { return }
        for name in try TopicNameRows.names(of: device, on: transaction.connection) {
            try remove(name)
        }
        try transaction.connection.run("DELETE FROM topic_scheduled WHERE topic = ?1", device)
        try files.endAll(of: device)
        for id in try QuestionRows.deleteAll(of: device, on: transaction.connection) {
            transaction.effects.questionNews.append(QuestionNews(id: id))
        }
        transaction.wake(at: transaction.time.now)
    }

    /// Deletes all that ended topics had, in this transaction.
    func forgetEnded() throws(StoreFault) {
        while try sweepEnded(limit: Self.goneAtOnce) > 0 {}
    }

    /// Without the key, nobody reads what is left of an owner's topics in any copy of the file. The
    /// position stays, for whoever has the number next.
    func forget(owner: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE topic_owner SET sealed = x'' WHERE row = ?1", owner)
        owners[owner] = nil
        sealers.forget(owner)
    }

    private func digests(of names: [TopicNaming]) throws(StoreFault) -> [Digest] {
        var digests: [Digest] = []
        for name in names {
            digests.append(
                try transaction.hashing { key, hash throws(OpenSSLError) in
                    try TopicNamer.digest(of: name, key, &hash)
                })
        }
        return digests
    }
}

/// Time passes.
extension StoredTopics {
    /// Returns how many rows have expired.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let expired = try rows.expired(at: now, limit: limit)
        let (gone, old) = (expired.filter(\.isGone), expired.filter { !$0.isGone })
        for (device, found) in Dictionary(grouping: gone, by: \.device) {
            for row in found { try rows.forget(row.key) }
            _ = try rows.add(TopicRows.Amount(gone: -found.count), to: device)
        }
        for found in Dictionary(grouping: old, by: \.device).values { try evict(found) }
        return max(expired.count, try sweepEnded(limit: limit))
    }

    private func sweepEnded(limit: Int) throws(StoreFault) -> Int {
        guard let device = try firstEnded() else { return 0 }
        // Each condition has an index of its own.
        for condition in ["IS NOT NULL", "IS NULL"] {
            let deleted = try transaction.connection.rows(
                """
                DELETE FROM topic_message WHERE place IN (SELECT place FROM topic_message
                WHERE topic = ?1 AND sealed \(condition) LIMIT ?2) RETURNING 1
                """, device, Int64(limit)
            ).count
            if deleted == limit { return limit }
        }
        try deletePicture(of: device)
        try transaction.connection.run("DELETE FROM topic WHERE device = ?1", device)
        return try firstEnded() == nil ? 0 : limit
    }

    private func firstEnded() throws(StoreFault) -> UInt32? {
        try transaction.connection.rows("SELECT device FROM topic WHERE ended = 1 LIMIT 1").first
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        guard try firstEnded() == nil else { return transaction.time.now }
        return [try rows.nextExpiry(), try scheduledRows.nextDue()].compactMap(\.self).min()
    }
}

extension TopicOwner {
    /// Makes the key of an owner who has none. No position is given twice, whoever had the number
    /// before, and whatever a restore has lost.
    fileprivate static func make(
        _ row: UInt32, _ name: String, in transaction: Transaction
    ) throws(StoreFault) -> TopicOwner {
        let key: MasterKey
        do throws(OpenSSLError) { key = try MasterKey.generate() } catch { throw .crypto(error) }
        let sealed = try transaction.seal(
            key.withBytes { $0.array($0.indices) }, at: place(row, of: name))
        let insert = try transaction.connection.statement(
            """
            INSERT INTO topic_owner (row, owner, position, made, sealed)
            VALUES (?1, ?2, ?3, ?3, ?4) ON CONFLICT (row) DO UPDATE SET owner = ?2,
            position = max(position, ?3), made = max(position, ?3), sealed = ?4
            RETURNING position
            """, row, name, transaction.position, sealed)
        guard try insert.step() else { throw .damaged("a key for topics could not be stored") }
        return TopicOwner(row: row, position: insert.integer(0), key: key)
    }
}
