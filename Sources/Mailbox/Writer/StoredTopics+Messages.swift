import Base
import Crypto
import Delivery
import SQLite
import Topics

/// Messages.
extension StoredTopics {
    /// Keeps a message, or the event that ends one, and tells the readers. Nil if the topic has
    /// ended.
    func add(_ post: TopicPost, to device: UInt32) throws(StoreFault) -> Int64? {
        guard let place = try nextPlace(of: device) else { return nil }
        let message = post.message
        if post.lifetime > 0 {
            let end = transaction.time.now.adding(seconds: post.lifetime)
            try keep(message, of: device, at: place, until: end)
        }
        transaction.effects.topicNews.append(
            TopicNews(
                position: place.position, device: device, message: message,
                isKept: post.lifetime > 0))
        return place.position
    }

    private func nextPlace(
        of device: UInt32
    ) throws(StoreFault) -> (owner: UInt32, position: Int64)? {
        let row = UInt32(clamping: try transaction.owner(ofDevice: device))
        guard var owner = try owner(row) else { return nil }
        owner.position += 1
        owners[row] = owner
        moved.insert(row)
        return (row, owner.position)
    }

    private func keep(
        _ message: TopicMessage, of device: UInt32,
        at place: (owner: UInt32, position: Int64), until end: StoreTime
    ) throws(StoreFault) {
        guard let owner = owners[place.owner] else { return }
        let sequence =
            message.sequence == message.id.text ? nil : try name(of: message.sequence)
        // What was deleted is told by the event of its end alone.
        if message.kind == .delete { try erase(message.sequence, of: device) }
        let sealed = try sealers.seal(TopicRecord(message), at: place.position, of: owner)
        try rows.insert(
            message, of: device, sequence: sequence,
            at: TopicRows.key(place.position, of: place.owner), until: end, sealed: sealed)
        transaction.wake(at: end)
        try makeRoom(in: device, for: TopicRows.Amount(count: 1, bytes: sealed.count))
    }

    /// A sequence without a name of its own has the id of its first message.
    private func erase(_ sequence: String, of device: UInt32) throws(StoreFault) {
        var found = try rows.all(of: try name(of: sequence), in: device)
        if let id = TopicMessageID(sequence) { found += try rows.all(of: id, in: device) }
        try erase(found)
    }

    /// The oldest messages make room for the newest.
    private func makeRoom(
        in device: UInt32, for change: TopicRows.Amount
    ) throws(StoreFault) {
        let limit = transaction.limits.growth.topicHistory
        guard var amount = try rows.add(change, to: device) else { return }
        while amount.count > limit.count || amount.bytes > limit.bytes {
            let excess = max(1, amount.count - limit.count)
            let oldest = try rows.oldest(of: device, min(excess, Self.goneAtOnce))
            guard !oldest.isEmpty else { return }
            amount = try evict(oldest) ?? TopicRows.Amount()
        }
    }

    /// They leave without their sender's wish, oldest first.
    @discardableResult
    func evict(_ found: [TopicRows.Found]) throws(StoreFault) -> TopicRows.Amount? {
        if let last = found.max(by: { $0.key < $1.key }) { try rows.setEvicted(last) }
        return try erase(found)
    }

    /// Ends one message, so that nothing tells of it any more. False if there is none.
    func erase(at position: Int64, of device: UInt32) throws(StoreFault) -> Bool {
        let owner = UInt32(clamping: try transaction.owner(ofDevice: device))
        let select = try transaction.connection.statement(
            """
            SELECT size FROM topic_message
            WHERE place = ?1 AND topic = ?2 AND sealed IS NOT NULL
            """, TopicRows.key(position, of: owner), device)
        guard try select.step() else { return false }
        _ = try erase([
            TopicRows.Found(
                key: TopicRows.key(position, of: owner), size: Int(select.integer(0)),
                device: device)
        ])
        return true
    }

    /// All of one topic.
    @discardableResult
    private func erase(_ found: [TopicRows.Found]) throws(StoreFault) -> TopicRows.Amount? {
        guard let device = found.first?.device else { return nil }
        let end = transaction.time.now.adding(seconds: Self.goneLifetime)
        var change = TopicRows.Amount(gone: found.count)
        for message in found {
            try rows.erase(message, until: end)
            change.count -= 1
            change.bytes -= message.size
        }
        transaction.wake(at: end)
        let amount = try rows.add(change, to: device)
        guard let gone = amount?.gone, gone > Self.goneLimit else { return amount }
        let keys = try rows.oldestGone(of: device, gone - Self.goneLimit + Self.goneAtOnce)
        for key in keys { try rows.forget(key) }
        return try rows.add(TopicRows.Amount(gone: -keys.count), to: device)
    }

    /// Senders choose sequences, and they may be revealing, so the file holds their hashes.
    private func name(of sequence: String) throws(StoreFault) -> [UInt8] {
        let text = Array(sequence.utf8)
        let digest = try transaction.hashing { key, hash throws(OpenSSLError) in
            try key.withSpan { key throws(OpenSSLError) in try hash.hmac(key: key, text.span) }
        }
        return digest.span.array(0..<16)
    }

    func owner(_ row: UInt32) throws(StoreFault) -> TopicOwner? {
        if let owner = owners[row] { return owner }
        let owner = try TopicOwner.load(row, from: transaction.connection, &transaction.sealer)
        owners[row] = owner
        return owner
    }
}
