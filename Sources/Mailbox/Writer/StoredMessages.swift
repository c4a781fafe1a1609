import Base
import Crypto
import Delivery
import WebPush

/// The stored messages and their positions. Only the writer's thread uses it.
final class StoredMessages {
    private let transaction: Transaction
    private let rows: MessageRows
    // Exclusivity is unchecked: only one thread uses these properties, one access at a time.
    @exclusivity(unchecked) private var locations = FlatTable<LocationEntry>()
    @exclusivity(unchecked) private var acknowledged = AcknowledgedMessages()

    /// Scans all stored messages for their positions and passes them to `visit`.
    init(
        _ transaction: Transaction, visit: (Address, Int) -> Void
    ) throws(StoreFault) {
        rows = try MessageRows(on: transaction.connection)
        self.transaction = transaction
        let select = try transaction.connection.select(MessageRows.Kept.columns, from: "message")
        while try select.step() {
            guard let kept = MessageRows.Kept(select) else { continue }
            locations.set(kept.location, position: kept.position)
            visit(kept.address, kept.size)
        }
    }

    /// A message acknowledged in the same batch need not be written.
    func begin(_ submissions: ArraySlice<Submission>) {
        acknowledged = AcknowledgedMessages(in: submissions)
    }

    /// Call this after the commit, also of what another store did.
    func committed() {
        for entry in transaction.effects.stored {
            locations.set(entry.message.location.high, position: entry.position)
        }
        for message in transaction.effects.counted {
            locations.set(message.location, position: message.position)
        }
        for message in transaction.effects.ended { locations.remove(location: message.location) }
    }
}

/// Adding messages.
extension StoredMessages {
    func has(subscription row: UInt32) throws(StoreFault) -> Bool {
        try rows.has(subscription: row)
    }

    func storeUnlessAcknowledged(_ message: Message) throws(StoreFault) -> StoreOutcome {
        if message.standsAlone, acknowledged.passes(message.id) { return .acknowledged }
        return try store(message)
    }

    func store(_ message: Message) throws(StoreFault) -> StoreOutcome {
        let position = transaction.nextPosition()
        let topic = try message.content.topic.map { topic throws(StoreFault) in
            try name(of: topic.text)
        }
        let sealed = try transaction.seal(
            MessageRecord.bytes(message),
            at: MessageRows.place(
                position, of: try transaction.owner(ofDevice: message.address.device)))
        if let topic {
            transaction.effects.ended += try rows.delete(
                topic: topic, of: message.address.subscription)
        }
        #if PLANTED
            if PlantedMistake.dropOldest.isMade {
                try StoreStatement(
                    """
                    DELETE FROM message WHERE position IN (
                    SELECT position FROM message
                    WHERE subscription = \(message.address.subscription)
                    ORDER BY sequence DESC LIMIT 1 OFFSET 1000)
                    """, on: transaction.connection
                ).run()
            }
        #endif
        guard try rows.insert(message, at: position, topic: topic, sealed: sealed) else {
            return .notFound
        }
        transaction.effects.keepMark(of: message, in: transaction.index)
        transaction.effects.stored.append((message, position))
        transaction.wake(at: message.expiry)
        return .stored(position: position)
    }

    /// The sender chooses the topic and it may be revealing, so the file holds its hash.
    private func name(of topic: String) throws(StoreFault) -> [UInt8] {
        let text = Array(topic.utf8)
        let digest = try transaction.hashing { key, hash throws(OpenSSLError) in
            try key.withSpan { key throws(OpenSSLError) in try hash.hmac(key: key, text.span) }
        }
        return digest.span.array(0..<16)
    }
}

/// Ending messages.
extension StoredMessages {
    func acknowledge(_ reference: MessageReference) throws(StoreFault) -> StoreOutcome {
        if acknowledged.hasPassed(reference.id) { return .done }
        return end(try rows.delete(reference))
    }

    func acknowledge(_ id: MessageID, device: UInt32) throws(StoreFault) -> StoreOutcome {
        end(try rows.delete(id, device: device))
    }

    func dropOldest(of address: Address, _ count: Int) throws(StoreFault) -> StoreOutcome {
        end(try rows.deleteOldest(of: address, count))
    }

    func withdraw(_ location: LocationID) throws(StoreFault) -> StoreOutcome {
        guard let position = locations.position(location.high) else { return .notFound }
        let ended = try rows.delete(location, at: position)
        transaction.effects.ended += ended
        return ended.first.map { .withdrawn($0.reference) } ?? .notFound
    }

    /// The name by which an engine knows what a push shows: that of its topic at its endpoint, or one
    /// of its own.
    func pushName(of message: Message) throws(StoreFault) -> String {
        let topic = try message.content.topic.map { topic throws(StoreFault) in
            try name(of: topic.text)
        }
        guard let topic else { return Self.pushName(at: message.location) }
        return "topic:\(message.address.subscription):" + Base64URL.text(topic.span)
    }

    static func pushName(at location: LocationID) -> String {
        "push:" + Base64URL.text(location.bytes.span)
    }

    /// A stored message; nil if there is none, or it cannot be read.
    func message(at location: LocationID) throws(StoreFault) -> Message? {
        guard let position = locations.position(location.high),
            let device = try transaction.connection.rows(
                "SELECT device FROM message WHERE position = ?1", position
            ).first
        else { return nil }
        return try read(device, "position = ?2", position).first
    }

    /// Reads messages of a device.
    private func read(
        _ device: UInt32, _ condition: String, _ value: Int64
    ) throws(StoreFault) -> [Message] {
        var draft = PageDraft(
            request: PageRequest(device: device), through: transaction.position,
            besides: transaction.index.setAside)
        let select = try transaction.connection.statement(
            """
            SELECT \(PageDraft.columns) FROM message
            WHERE device = ?1 AND \(condition) ORDER BY sequence
            """, device, value)
        while try select.step() { draft.add(select, unsealing: &transaction.sealer) }
        return draft.page(isLast: true).messages
    }

    private func end(_ ended: [MessageRows.Ended]) -> StoreOutcome {
        transaction.effects.ended += ended
        return ended.isEmpty ? .notFound : .done
    }

    func endAll(of subscription: UInt32) throws(StoreFault) {
        transaction.effects.ended += try rows.deleteAll(of: subscription)
    }

    func endAll(ofDevice device: UInt32) throws(StoreFault) {
        transaction.effects.ended += try rows.deleteAll(ofDevice: device)
    }

    /// Ends all readable messages of a device and returns them.
    func fetchAll(ofDevice device: UInt32) throws(StoreFault) -> [Message] {
        let messages = try read(device, "expires > ?2", transaction.time.now.milliseconds)
        for message in messages {
            transaction.effects.ended += try rows.delete(message.reference)
        }
        return messages
    }

    /// Returns how many messages have expired.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let ended = try rows.deleteExpired(at: now, limit: limit)
        transaction.effects.ended += ended
        return ended.count
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? { try rows.nextExpiry() }
}

/// Messages whose acknowledgement is in the same batch.
private struct AcknowledgedMessages {
    private var waiting = Set<MessageID>()
    private var met = Set<MessageID>()

    init() {}

    init(in submissions: ArraySlice<Submission>) {
        for submission in submissions {
            if case .acknowledge(let reference) = submission.operation {
                waiting.insert(reference.id)
            }
        }
    }

    /// Whether the acknowledgement of this message comes later in the batch.
    mutating func passes(_ id: MessageID) -> Bool {
        guard !waiting.isEmpty, waiting.contains(id) else { return false }
        met.insert(id)
        return true
    }

    func hasPassed(_ id: MessageID) -> Bool { met.contains(id) }
}

/// Positions of messages that senders may still withdraw, by the first word of their location.
private struct LocationEntry: FlatEntry {
    static let vacant = LocationEntry(key: 0, position: 0)

    let key: UInt64
    let position: Int64
}

extension FlatTable<LocationEntry> {
    fileprivate func position(_ location: UInt64) -> Int64? { self[max(1, location)]?.position }

    fileprivate mutating func set(_ location: UInt64, position: Int64) {
        set(LocationEntry(key: max(1, location), position: position))
    }

    fileprivate mutating func remove(location: UInt64) { remove(max(1, location)) }
}
