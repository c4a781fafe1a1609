import Base
import Delivery
import SQLite
import Topics

/// The positions of an owner at which messages were stored that no reader is told of.
struct QuietPlaces: Equatable {
    let owner: UInt32
    let positions: ClosedRange<Int64>

    func has(_ news: TopicNews) -> Bool {
        news.owner == owner && positions.contains(news.position)
    }
}

/// Messages that another server has kept.
extension StoredTopics {
    /// They come behind what is there, and push nothing out. Readers find them, and are not told; so
    /// nothing rings. One that is not due yet comes at its time, as any other. A trial changes
    /// nothing.
    func take(
        _ posts: [TopicPost], to address: Address, isTrial: Bool
    ) throws(StoreFault) -> StoreOutcome {
        let found = try admission(to: address.device)
        guard case .owner(let owner) = found,
            let amount = try rows.add(TopicRows.Amount(), to: address.device)
        else { return found.answer }
        var taking = Taking(address: address, owner: owner, amount: amount, isTrial: isTrial)
        var fates: [TakenPost] = []
        for post in posts { fates.append(try take(post, &taking)) }
        if !isTrial, taking.owner.position > owner.position {
            owners[owner.row] = taking.owner
            moved.insert(owner.row)
            transaction.effects.quiet.append(
                QuietPlaces(
                    owner: owner.row,
                    positions: owner.position + 1...taking.owner.position))
        }
        let limit = transaction.limits.growth.topicHistory
        let room = GrowthLimits.Room(
            count: max(0, limit.count - taking.amount.count),
            bytes: max(0, limit.bytes - taking.amount.bytes))
        return .registration(.taken(fates, room: room))
    }

    private struct Taking {
        let address: Address
        var owner: TopicOwner
        var amount: TopicRows.Amount
        let isTrial: Bool
    }

    private func take(
        _ post: TopicPost, _ taking: inout Taking
    ) throws(StoreFault) -> TakenPost {
        let (message, device) = (post.message, taking.address.device)
        let now = transaction.time.reading().wall / 1_000
        let end = message.time + Int64(post.lifetime)
        guard post.lifetime > 0, end > now else { return .expired }
        guard try !rows.has(message.id, in: device),
            try !scheduledRows.has(message.id, in: device)
        else { return .known }
        guard message.time <= now else { return try schedule(post, taking) }
        let position = taking.owner.position + 1
        let sealed = try sealers.seal(
            TopicRecord(message, of: device), at: TopicRows.place(position), of: taking.owner)
        let limit = transaction.limits.growth.topicHistory
        guard taking.amount.count < limit.count, taking.amount.bytes + sealed.count <= limit.bytes
        else { return .full }
        taking.amount.count += 1
        taking.amount.bytes += sealed.count
        guard !taking.isTrial else { return .taken }
        taking.owner.position = position
        let expiry = transaction.time(ofWall: end)
        let isNamed = message.sequence != message.id.text
        try rows.insert(
            message, of: device,
            sequence: isNamed ? try digest(of: message.sequence, in: device, taking.owner) : nil,
            at: TopicRows.key(position, of: taking.owner.row), until: expiry, sealed: sealed)
        transaction.wake(at: expiry)
        _ = try rows.add(TopicRows.Amount(count: 1, bytes: sealed.count), to: device)
        if let file = post.file {
            let lifetime = Int64(TopicFiles.lifetime(keptFor: post.lifetime))
            try files.add(
                file, of: message.id, in: device, taking.owner,
                until: transaction.time(ofWall: message.time + lifetime))
        }
        return .taken
    }

    private func schedule(_ post: TopicPost, _ taking: Taking) throws(StoreFault) -> TakenPost {
        guard !taking.isTrial else { return .taken }
        let due = transaction.time(ofWall: post.message.time)
        let outcome = try schedule(
            ScheduledPost(post, to: taking.address, at: due, isShown: true))
        return outcome == .done ? .taken : .full
    }
}
