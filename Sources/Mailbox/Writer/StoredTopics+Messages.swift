import Base
import Crypto
import Delivery
import SQLite
import Topics

/// Messages.
extension StoredTopics {
    /// Whether a message can come to this topic now: `.done` if so.
    func answer(for device: UInt32) throws(StoreFault) -> StoreOutcome {
        try admission(to: device).answer
    }

    /// The owner of a topic that has not ended.
    func admission(to device: UInt32) throws(StoreFault) -> TopicOwner.Found {
        guard try rows.add(TopicRows.Amount(), to: device) != nil else { return .none }
        return try find(owner(of: device))
    }

    /// Keeps a message, or the event that ends one, and tells the readers, or only at which position
    /// something happened: `.stored`.
    func add(
        _ post: TopicPost, to device: UInt32, isTold: Bool = true
    ) throws(StoreFault) -> StoreOutcome {
        let found = try admission(to: device)
        guard case .owner(var owner) = found else { return found.answer }
        owner.position += 1
        owners[owner.row] = owner
        moved.insert(owner.row)
        let message = post.message
        // What was deleted is told by the event of its end alone.
        if message.kind == .delete {
            try cancel(message.sequence, of: device, owner)
            try erase(message.sequence, of: device, owner)
        }
        try keep(post, of: device, owner)
        let news = TopicNews(
            position: owner.position, owner: owner.row, device: device,
            message: isTold ? message : nil, isKept: post.lifetime > 0)
        #if PLANTED
            if PlantedMistake.streamBeforeCommit.isMade { transaction.index.topics.notify([news]) }
        #endif
        transaction.effects.topicNews.append(news)
        return .stored(position: owner.position)
    }

    /// Of what is not kept, the place is known for a while, so that its reader can go on from there.
    private func keep(
        _ post: TopicPost, of device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) {
        let (message, isKept) = (post.message, post.lifetime > 0)
        let end = transaction.time.now.adding(
            seconds: isKept ? post.lifetime : Self.goneLifetime)
        let isNamed = isKept && message.sequence != message.id.text
        let sealed =
            isKept
            ? try sealers.seal(
                TopicRecord(message, of: device), at: TopicRows.place(owner.position), of: owner)
            : nil
        try rows.insert(
            message, of: device,
            sequence: isNamed ? try digest(of: message.sequence, in: device, owner) : nil,
            at: TopicRows.key(owner.position, of: owner.row), until: end, sealed: sealed)
        transaction.wake(at: end)
        try add(post, to: device, owner, from: transaction.time.now)
        guard let sealed else {
            try limitGone(try rows.add(TopicRows.Amount(gone: 1), to: device), of: device)
            return
        }
        try makeRoom(in: device, for: TopicRows.Amount(of: message.kind, size: sealed.count))
    }

    /// The file of a message, if it has one, lives from this time on.
    private func add(
        _ post: TopicPost, to device: UInt32, _ owner: TopicOwner, from start: StoreTime
    ) throws(StoreFault) {
        guard let file = post.file else { return }
        try files.add(
            file, of: post.message.id, in: device, owner,
            until: start.adding(seconds: TopicFiles.lifetime(keptFor: post.lifetime)))
    }

    func owner(of device: UInt32) throws(StoreFault) -> UInt32 {
        UInt32(clamping: try transaction.owner(ofDevice: device))
    }

    private func erase(
        _ sequence: String, of device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) {
        #if PLANTED
            if PlantedMistake.deletedReturns.isMade { return }
        #endif
        try erase(try all(sequence, of: device, owner))
    }

    /// Erases what a reader wants gone, except open questions. Also returns what that was.
    func erase(
        _ erasure: TopicErasure
    ) throws(StoreFault) -> (outcome: StoreOutcome, gone: [State]) {
        switch erasure {
        case .message(let position, let devices):
            // Any topic knows the owner of all.
            guard let first = devices.first, position > 0, position < TopicRows.positionEnd,
                let found = try rows.message(
                    at: TopicRows.key(position, of: try owner(of: first))),
                devices.contains(found.device)
            else { return (.notFound, []) }
            guard try !openQuestions(in: found.device).contains(found.key) else {
                return (.conflict, [])
            }
            let gone = try states(of: [found])
            try erase([found])
            return (.done, gone)
        case .all(let device, let end):
            let last = TopicRows.key(end, of: try owner(of: device))
            let oldest = try rows.oldest(of: device, Self.goneAtOnce)
            let found = oldest.filter { $0.key <= last }
            // There are fewer of them than are looked at, so others come next time.
            let open = try openQuestions(in: device)
            let erased = found.filter { !open.contains($0.key) }
            let gone = try states(of: erased)
            try erase(erased)
            return (found.count == Self.goneAtOnce ? .registration(.partly) : .done, gone)
        }
    }

    private func openQuestions(in device: UInt32) throws(StoreFault) -> Set<Int64> {
        try QuestionRows.keysOfOpen(in: device, on: transaction.connection)
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

    /// All of one topic.
    @discardableResult
    func erase(_ found: [TopicRows.Found]) throws(StoreFault) -> TopicRows.Amount? {
        guard let device = found.first?.device else { return nil }
        let end = transaction.time.now.adding(seconds: Self.goneLifetime)
        var change = TopicRows.Amount(gone: found.count)
        for message in found {
            try files.end(at: message.key, of: device)
            try callbacks.forget(place: message.key)
            try rows.erase(message, until: end)
            change.count -= message.amount.count
            change.bytes -= message.amount.bytes
        }
        transaction.wake(at: end)
        return try limitGone(try rows.add(change, to: device), of: device)
    }

    @discardableResult
    private func limitGone(
        _ amount: TopicRows.Amount?, of device: UInt32
    ) throws(StoreFault) -> TopicRows.Amount? {
        guard let gone = amount?.gone, gone > Self.goneLimit else { return amount }
        let keys = try rows.oldestGone(of: device, gone - Self.goneLimit + Self.goneAtOnce)
        for key in keys { try rows.forget(key) }
        return try rows.add(TopicRows.Amount(gone: -keys.count), to: device)
    }

    /// Senders choose sequences, and they may be revealing.
    func digest(
        of sequence: String, in device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) -> [UInt8] {
        try transaction.hashing { _, hash throws(OpenSSLError) in
            try owner.digest(of: sequence, in: device, &hash)
        }
    }

    func find(_ row: UInt32) throws(StoreFault) -> TopicOwner.Found {
        if let owner = owners[row] { return .owner(owner) }
        let found = try TopicOwner.find(row, on: transaction.connection, &transaction.sealer)
        if case .owner(let owner) = found { owners[row] = owner }
        return found
    }
}

extension TopicOwner.Found {
    var answer: StoreOutcome {
        switch self {
        case .none: .notFound
        case .unreadable: .unavailable
        case .owner: .done
        }
    }
}

/// Messages that are not due yet.
extension StoredTopics {
    /// How long to wait with one that the engine cannot take now.
    private static let pause: UInt32 = 60

    /// It takes the place of an earlier one of its sequence. `.full` at the limit of its topic.
    func schedule(_ scheduled: ScheduledPost) throws(StoreFault) -> StoreOutcome {
        let (message, device) = (scheduled.post.message, scheduled.address.device)
        let found = try admission(to: device)
        guard case .owner(let owner) = found else { return found.answer }
        try cancel(message.sequence, of: device, owner)
        let limit = transaction.limits.growth.topicScheduled
        guard try scheduledRows.count(of: device) < limit else { return .full }
        let row = transaction.nextPosition()
        let sealed = try sealers.seal(
            ScheduledRecord(scheduled), at: ScheduledRows.place(row), of: owner)
        let isNamed = message.sequence != message.id.text
        try scheduledRows.insert(
            ScheduledRows.Row(
                number: row, address: scheduled.address, id: message.id, due: scheduled.due,
                sealed: sealed),
            sequence: isNamed ? try digest(of: message.sequence, in: device, owner) : nil)
        try add(scheduled.post, to: device, owner, from: scheduled.due)
        transaction.wake(at: scheduled.due)
        return .done
    }

    private func cancel(
        _ sequence: String, of device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) {
        let (digest, id) = (
            try digest(of: sequence, in: device, owner), TopicMessageID(sequence)
        )
        try files.endScheduled(digest, or: id, of: device)
        try scheduledRows.delete(sequence: digest, of: device)
        if let id { try scheduledRows.delete(id, of: device) }
    }

    /// Takes what is due, and passes it on. What `body` cannot take now comes a little later.
    /// Returns how many were due.
    func publishDue(
        at now: StoreTime, limit: Int,
        _ body: (ScheduledPost) throws(StoreFault) -> StoreOutcome
    ) throws(StoreFault) -> Int {
        let rows = try scheduledRows.due(at: now, limit: limit)
        for row in rows {
            guard case .owner(let owner) = try find(self.owner(of: row.address.device)) else {
                try scheduledRows.putOff(row.number, until: now.adding(seconds: Self.pause))
                continue
            }
            let record: ScheduledRecord? = try sealers.open(
                row.sealed.span, at: ScheduledRows.place(row.number), of: owner)
            guard let scheduled = record?.scheduled(row) else {
                // Nobody can read it.
                try drop(row)
                continue
            }
            let outcome = try body(scheduled)
            if outcome == .unavailable || outcome == .full {
                try scheduledRows.putOff(row.number, until: now.adding(seconds: Self.pause))
            } else {
                try drop(row)
            }
        }
        return rows.count
    }

    private func drop(_ row: ScheduledRows.Row) throws(StoreFault) {
        #if PLANTED
            if PlantedMistake.scheduledTwice.isMade {
                return try scheduledRows.putOff(
                    row.number, until: transaction.time.now.adding(seconds: 2))
            }
        #endif
        try scheduledRows.delete(row.number)
        try files.endUnlessCame(row.id, to: row.address.device)
    }
}
