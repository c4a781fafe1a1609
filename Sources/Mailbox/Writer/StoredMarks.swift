import Delivery

/// Remembers for a while the pushes that senders may repeat, and the bodies that arrived before.
/// Only the writer's thread uses it.
final class StoredMarks {
    private let transaction: Transaction
    private let rows: MarkRows<OwnedMark>
    private let replayRows: MarkRows<ReplayMark>
    @exclusivity(unchecked) private var replays = ReplayTable()

    init(_ transaction: Transaction) throws(StoreFault) {
        let index = transaction.index
        rows = try MarkRows<OwnedMark>(on: transaction.connection)
        replayRows = try MarkRows<ReplayMark>(on: transaction.connection)
        self.transaction = transaction
        try MarkRows<ReplayMark>.load(from: transaction.connection) {
            replays.insert($0, owner: index.owner(ofDevice: $0.device))
        }
    }

    /// Remembers the mark; true if no recent body had it.
    func isNew(_ mark: ReplayMark) -> Bool {
        let owner = transaction.index.owner(ofDevice: mark.device)
        return switch replays.check(mark, owner: owner) {
        case .new: transaction.effects.replays.insert(mark).inserted
        case .repeated: false
        case .unmarked: true
        }
    }

    /// Writes the marks of bodies, and of messages that this batch stores or that a listener has
    /// taken. Call this at the end of the batch.
    func keep() throws(StoreFault) {
        if !transaction.effects.marks.isEmpty {
            let expires = transaction.time.now.adding(seconds: RepetitionMark.lifetime)
            try rows.insert(
                transaction.effects.marks, at: transaction.nextPosition(), expires: expires)
            transaction.wake(at: expires)
        }
        if !transaction.effects.replays.isEmpty {
            let expires = transaction.time.now.adding(seconds: ReplayMark.lifetime)
            try replayRows.insert(
                transaction.effects.replays, at: transaction.nextPosition(), expires: expires)
            transaction.wake(at: expires)
        }
    }

    /// Call this after the commit.
    func committed() {
        for mark in transaction.effects.replays {
            replays.insert(mark, owner: transaction.index.owner(ofDevice: mark.device))
        }
        for mark in transaction.effects.expiredReplays { replays.remove(mark) }
    }

    /// True if there may be more expired marks.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Bool {
        let expired = try rows.deleteExpired(at: now, limit: limit)
        let expiredReplays = try replayRows.deleteExpired(at: now, limit: limit)
        transaction.effects.expiredMarks += expired
        transaction.effects.expiredReplays += expiredReplays
        return expired.count >= limit || expiredReplays.count >= limit
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        let times = [try rows.nextExpiry(), try replayRows.nextExpiry()]
        return times.compactMap(\.self).min()
    }
}
