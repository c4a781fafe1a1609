import Base
import Delivery
import Topics

/// Forwards of topics. Each is a callback with a row of its own, and ends with that. Only the
/// writer's thread uses it.
final class StoredForwards {
    private let transaction: Transaction
    private let callbacks: StoredCallbacks
    private let active: StoreStatement
    private let firstLapse: StoreStatement

    init(_ transaction: Transaction, _ callbacks: StoredCallbacks) throws(StoreFault) {
        active = try StoreStatement(
            """
            SELECT forward.row FROM forward JOIN callback ON callback.row = forward.row
            WHERE forward.owner = ?1 AND forward.topic IN (0, ?2)
            AND callback.state = \(CallbackState.active.rawValue)
            """, on: transaction.connection)
        firstLapse = try StoreStatement(
            "SELECT min(lapses) FROM forward WHERE lapses IS NOT NULL", on: transaction.connection)
        self.transaction = transaction
        self.callbacks = callbacks
    }

    func perform(_ operation: ForwardOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .make(let forward, let callback, let introduction):
            try make(forward, callback, introduction)
        case .confirm(let row, let code): try confirm(row, code)
        case .end(let row): try end(row)
        }
    }

    private func make(
        _ forward: Forward, _ callback: Callback, _ introduction: OutboxEvent
    ) throws(StoreFault) -> StoreOutcome {
        guard forward.row <= StoreIndex.lastRow else { return .full }
        let owner = try transaction.connection.number(
            "SELECT coalesce((SELECT row FROM owner WHERE name = ?1), 0)", forward.owner)
        let topics = try transaction.connection.number(
            """
            SELECT count(*) FROM topic WHERE owner = ?1 AND (?2 IS NULL OR device = ?2)
            AND ended = 0
            """, owner, forward.topic.map { Int64($0) })
        guard topics > 0 else { return .notFound }
        let count = try transaction.connection.number(
            "SELECT count(*) FROM forward WHERE owner = ?1", owner)
        let growth = transaction.limits.growth
        guard count < OwnerLimits.forwards,
            try transaction.hasRoom(
                for: .callback, of: forward.owner, within: growth.callbacks, growth.allCallbacks)
        else { return .registration(.tooMany) }
        let lapse = transaction.time.now.adding(seconds: Forward.timeToConfirm)
        try transaction.connection.run(
            "INSERT INTO forward VALUES (?1, ?2, ?3, ?4, ?5, NULL, NULL, NULL)", forward.row,
            owner, Int64(forward.topic ?? 0), transaction.time.reading().wall / 1_000,
            lapse.milliseconds)
        transaction.wake(at: lapse)
        return try callbacks.make(callback, introduction, of: forward.owner)
    }

    private func confirm(_ row: UInt32, _ code: String) throws(StoreFault) -> StoreOutcome {
        guard let callback = try callbacks.callback(row), case .push(let target) = callback.kind
        else { return .notFound }
        switch try callbacks.state(of: row) {
        case .unconfirmed:
            let (said, wanted) = (Array(code.utf8), Array(target.code.utf8))
            guard said.span.isEqualSecretly(to: wanted.span) else { return .conflict }
        case .restored: break
        case .active: return .done
        default: return .notFound
        }
        try transaction.connection.run("UPDATE forward SET lapses = NULL WHERE row = ?1", row)
        try callbacks.confirm(row)
        return .done
    }

    private func end(_ row: UInt32) throws(StoreFault) -> StoreOutcome {
        let found = try transaction.connection.rows("SELECT row FROM forward WHERE row = ?1", row)
        guard !found.isEmpty else { return .notFound }
        try callbacks.drop(row)
        return .done
    }
}

/// What happens to topics.
extension StoredForwards {
    /// Puts a message into the outbox of each forward of its topic. A forward whose outbox is full
    /// misses it, because no sender is to be refused for that.
    /// `position`: where the history has it.
    func add(
        _ post: TopicPost, to device: UInt32, at position: Int64
    ) throws(StoreFault) {
        guard post.origin?.mayGoOn ?? true else { return }
        let owner = try transaction.owner(ofDevice: device)
        try active.bind(owner, at: 1)
        try active.bind(Int64(device), at: 2)
        var rows: [UInt32] = []
        while try active.step() { rows.append(UInt32(clamping: active.integer(0))) }
        guard !rows.isEmpty, let registration = try transaction.registration(device) else { return }
        let terms = registration.terms
        let message = ForwardedMessage(
            post.message, named: terms.topicName?.text ?? terms.account, from: post.origin)
        for row in rows {
            let event = OutboxEvent(
                message, as: try transaction.newID(), keptFor: post.lifetime,
                at: TopicRows.key(position, of: UInt32(clamping: owner)))
            _ = try callbacks.add(event, to: row)
        }
    }

    func end(ofTopic device: UInt32) throws(StoreFault) {
        let owner = "(SELECT owner FROM topic WHERE device = ?1)"
        let rows = try transaction.connection.rows(
            "SELECT row FROM forward WHERE owner = \(owner) AND topic = ?1", device)
        for row in rows { try callbacks.drop(row) }
        // What waits for the owner's forwards of all topics, and for nobody else's.
        let select = try transaction.connection.statement(
            """
            SELECT DISTINCT event.place FROM forward
            CROSS JOIN callback_event AS event ON event.callback = forward.row
            CROSS JOIN topic_message AS message ON message.place = event.place
            WHERE forward.owner = \(owner) AND forward.topic = 0 AND event.place IS NOT NULL
            AND message.topic = ?1
            """, device)
        var places: [Int64] = []
        while try select.step() { places.append(select.integer(0)) }
        for place in places { try callbacks.forget(place: place) }
    }

    /// Ends some that nobody has confirmed; returns how many.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let rows = try transaction.connection.rows(
            "SELECT row FROM forward WHERE lapses <= ?1 LIMIT ?2", now.milliseconds, Int64(limit))
        for row in rows { try callbacks.drop(row) }
        return rows.count
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { firstLapse.reset() }
        guard try firstLapse.step(), !firstLapse.isNull(0) else { return nil }
        return StoreTime(milliseconds: firstLapse.integer(0))
    }
}
