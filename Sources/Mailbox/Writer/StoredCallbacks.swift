import Base
import Crypto
import Delivery
import WebPush

/// Callbacks, and the outbox in which their events wait. Only the writer's thread uses it.
final class StoredCallbacks {
    let transaction: Transaction
    private let rows: CallbackRows
    private let isShared: Bool

    init(_ transaction: Transaction, isShared: Bool) throws(StoreFault) {
        self.isShared = isShared
        rows = try CallbackRows(on: transaction.connection)
        self.transaction = transaction
    }

    /// Whether there is room for all these events. Events caused only by time are dropped if there
    /// is none; each start repeats the important ones.
    func hasRoom(for operations: [CallbackOperation]) throws(StoreFault) -> Bool {
        for case .add(let event, let callback) in operations {
            if let usage = try rows.usage(of: callback), !hasRoom(usage, for: event) {
                return false
            }
        }
        return true
    }

    /// `holder`: the owner, if no registration says who that is.
    func make(
        _ callback: Callback, _ introduction: OutboxEvent, of holder: String? = nil
    ) throws(StoreFault) -> StoreOutcome {
        let owner = if let holder { holder } else { try owner(ofCallback: callback.row) }
        let sealed = try transaction.seal(
            CallbackCode.bytes(callback), at: CallbackRows.place(callback.row, of: owner))
        if let former = try self.introduction(of: callback.row) {
            _ = try rows.delete(former, of: callback.row)
        }
        try put(
            callback: callback.row, of: owner, created: transaction.time.now, sealed: sealed)
        try insert(introduction, of: callback.row, owner, .introduction)
        transaction.effects.add(.changed, of: callback.row)
        transaction.effects.changes.append(.callback(callback.row, isGone: false))
        return .done
    }

    func rotate(_ row: UInt32, _ secret: Secret) throws(StoreFault) -> StoreOutcome {
        guard var callback = try callback(row) else { return .notFound }
        let now = transaction.time.now
        let former = callback.secrets.compactMap { entry -> Callback.SigningSecret? in
            let expiry = entry.expiry ?? now.adding(seconds: Callback.graceOfSecret)
            return expiry <= now ? nil : Callback.SigningSecret(entry.secret, expiry: expiry)
        }
        callback.kind = .webhook([Callback.SigningSecret(secret)] + former.prefix(1))
        let place = CallbackRows.place(row, of: try owner(ofCallback: row))
        let renewed = try transaction.seal(CallbackCode.bytes(callback), at: place)
        try set(sealedCallback: renewed, row)
        return .done
    }

    func end(_ row: UInt32, last: OutboxEvent?) throws(StoreFault) -> StoreOutcome {
        guard let usage = try rows.usage(of: row) else { return .notFound }
        if usage.state == .active, let last { try insert(last, of: row, usage.owner, .inOrder) }
        if usage.state == .active, last != nil || usage.events > 0 {
            try set(.ending, ofCallback: row)
        } else if usage.state != .ending {
            try delete(callback: row)
        }
        transaction.effects.add(.changed, of: row)
        transaction.effects.changes.append(.callback(row, isGone: false))
        return .done
    }

    /// Nil if there is none, or its target was given up.
    func callback(_ row: UInt32) throws(StoreFault) -> Callback? {
        guard let sealed = try sealedCallback(row) else { return nil }
        let place = CallbackRows.place(row, of: try owner(ofCallback: row))
        let opened: Secret
        do throws(Sealer.Failure) {
            opened = try transaction.sealer.open(sealed.span, at: place)
        } catch { throw .damaged("a callback cannot be unsealed") }
        guard let callback = opened.withSpan({ CallbackCode.callback(row: row, $0) }) else {
            throw .damaged("a callback cannot be read")
        }
        return callback
    }

    /// Its receiver takes events from now on.
    func confirm(_ row: UInt32) throws(StoreFault) {
        if let introduction = try introduction(of: row) {
            _ = try rows.delete(introduction, of: row)
        }
        try set(.active, ofCallback: row)
        transaction.effects.add(.changed, of: row)
    }

    func state(of row: UInt32) throws(StoreFault) -> CallbackState? {
        try rows.usage(of: row)?.state
    }

    /// Removes it with everything that it was still to be told.
    func drop(_ row: UInt32) throws(StoreFault) {
        guard try rows.usage(of: row) != nil else { return }
        try delete(callback: row)
        transaction.effects.add(.changed, of: row)
        transaction.effects.changes.append(.callback(row, isGone: false))
    }
}

/// Events.
extension StoredCallbacks {
    func add(_ event: OutboxEvent, to callback: UInt32) throws(StoreFault) -> StoreOutcome {
        guard let usage = try rows.usage(of: callback), usage.state.takesEvents else {
            return .notFound
        }
        guard hasRoom(usage, for: event) else { return .full }
        if try !count(event, of: callback, usage.owner) {
            try insert(event, of: callback, usage.owner, .inOrder)
        }
        return .done
    }

    /// The message of a topic that has this place is gone: it is not forwarded any more.
    func forget(place: Int64) throws(StoreFault) {
        for callback in try rows.delete(ofPlace: place) {
            transaction.effects.add(.changed, of: callback)
        }
    }

    /// Also takes the user's action that the event reported.
    func record(
        _ record: AttemptRecord
    ) throws(StoreFault) -> (outcome: StoreOutcome, action: Int64?) {
        let (row, position) = (record.callback, record.position)
        guard let usage = try rows.usage(of: row) else { return (.notFound, nil) }
        var action: Int64?
        switch record.result {
        case .delivered:
            let event = try rows.delete(position, of: row)
            action = event?.action
            // Who has got a push may not have read it.
            if event?.rank == .introduction, usage.state == .unconfirmed, try !isForward(row) {
                try set(.active, ofCallback: row)
            }
        case .postponed(let attempts, let refusals, let due):
            try rows.postpone(position, of: row, attempts: attempts, refusals: refusals, due: due)
        // A parked event of an ending callback would stay parked for ever.
        case .parked where usage.state != .ending: try park(position, of: row)
        case .parked, .dead, .refused: _ = try rows.delete(position, of: row)
        // The callback may have been confirmed since its state was read.
        case .lapsed where usage.state != .unconfirmed: break
        case .gone: try giveUp(row, .gone)
        case .lapsed: try giveUp(row, .lapsed)
        }
        if let answer = record.answer { try keep(answer, of: row) }
        try settle(row, usage.state)
        if record.result == .gone, usage.state != .ending, try rows.usage(of: row) != nil {
            transaction.effects.changes.append(.callback(row, isGone: true))
        }
        return (.done, action)
    }

    /// Deletes some expired events; returns how many.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let dead = try rows.dead(at: now, limit: limit)
        for (position, callback) in dead {
            _ = try rows.delete(position, of: callback)
            guard let usage = try rows.usage(of: callback) else { continue }
            try settle(callback, usage.state)
            transaction.effects.add(.changed, of: callback)
        }
        return dead.count
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? { try rows.nextDeath() }

    /// A callback whose registration has ended goes with its last event.
    private func settle(_ row: UInt32, _ state: CallbackState) throws(StoreFault) {
        guard state == .ending, try rows.usage(of: row)?.events == 0 else { return }
        try delete(callback: row)
    }

    private func insert(
        _ event: OutboxEvent, of callback: UInt32, _ owner: String, _ rank: CallbackRows.Rank
    ) throws(StoreFault) {
        let position = transaction.nextPosition()
        let sealed = try transaction.seal(
            event.body, at: CallbackRows.eventPlace(position, of: owner))
        let now = transaction.time.now
        try rows.insert(event, of: callback, rank, at: position, now, sealed: sealed)
        transaction.wake(at: now.adding(seconds: event.life))
        transaction.effects.add(.added, of: callback)
    }

    /// Another node may be sending the first event.
    private func mayChangeFirst(of callback: UInt32) -> Bool {
        #if PLANTED
            if PlantedMistake.mergeInFlight.isMade { return true }
        #endif
        return !isShared && transaction.index.callbacks.beginChange(of: callback)
    }

    /// Adds the event's count to a waiting event; false if there is none.
    private func count(
        _ event: OutboxEvent, of callback: UInt32, _ owner: String
    ) throws(StoreFault) -> Bool {
        guard let tally = event.tally else { return false }
        let last = try rows.lastTally(of: callback, handedOut: !mayChangeFirst(of: callback))
        // An event from before the start may have been sent, and its receiver may ignore a repetition.
        guard let last, last.position > transaction.openedAt else { return false }
        let count = last.count + tally.count
        let sealed = try transaction.seal(
            event.body(counting: count), at: CallbackRows.eventPlace(last.position, of: owner))
        let dies = transaction.time.now.adding(seconds: event.life)
        try rows.replace(
            last.position, ofSize: last.size, of: callback, with: event, count: count, dies: dies,
            sealed: sealed)
        return true
    }

    /// When pushes are already refused, the service's own events may take as much again.
    private func hasRoom(_ usage: CallbackRows.Usage, for event: OutboxEvent) -> Bool {
        let (size, growth) = (Int64(event.body.count), transaction.limits.growth)
        let part: Int64 = event.isPush ? 1 : 2
        return !usage.state.takesEvents
            || (usage.events < OutboxLimits.events * part
                && usage.bytes + size <= OutboxLimits.bytes * part
                && usage.ownerBytes + size <= Int64(growth.callbacks.bytes) * part
                && usage.allBytes + size <= Int64(growth.allCallbacks.bytes) * part)
    }
}

/// Rare changes of callbacks; the connection keeps their statements.
extension StoredCallbacks {
    /// Replaces a callback with that number; its waiting events start again, parked ones too.
    func put(
        callback row: UInt32, of owner: String, created: StoreTime, sealed: [UInt8]
    ) throws(StoreFault) {
        try transaction.connection.run(
            """
            INSERT INTO callback VALUES (?1, 0, ?2, 0, 0, ?3, ?4)
            ON CONFLICT DO UPDATE SET state = 0, created = ?2, sealed = ?3
            """, row, created.milliseconds, sealed, owner)
        try transaction.connection.run(
            """
            UPDATE callback_event SET rank = ?2, attempts = 0, refusals = 0, due = ?3
            WHERE callback = ?1
            """, row, CallbackRows.Rank.inOrder.rawValue, created.milliseconds)
    }

    /// The owner that the row of a callback has, or gets when it is made.
    func owner(ofCallback row: UInt32) throws(StoreFault) -> String {
        let select = try transaction.connection.statement(
            """
            SELECT coalesce((SELECT owner FROM callback WHERE row = ?1),
            (SELECT owner FROM registration WHERE device = ?1), '')
            """, row)
        return try select.step() ? select.text(0) : ""
    }

    /// The position of the event that introduces a callback, if it is still to be sent.
    func introduction(of callback: UInt32) throws(StoreFault) -> Int64? {
        let select = try transaction.connection.statement(
            "SELECT position FROM callback_event WHERE callback = ?1 AND rank = 0", callback)
        return try select.step() ? select.integer(0) : nil
    }

    /// Some callbacks that take events, in order of their numbers.
    func callbacks(after row: UInt32, limit: Int) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            """
            SELECT row FROM callback WHERE row > ?1 AND state IN (?2, ?3) ORDER BY row LIMIT ?4
            """, row, CallbackState.unconfirmed.rawValue, CallbackState.active.rawValue,
            Int64(limit))
    }

    /// All callbacks of an owner, including those of registrations that have ended.
    func callbacks(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            "SELECT row FROM callback WHERE owner = (SELECT name FROM owner WHERE row = ?1)", owner)
    }

    func set(
        _ state: CallbackState, ofCallback row: UInt32
    ) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback SET state = ?2 WHERE row = ?1", row, state.rawValue)
    }

    /// Nil if there is none, or its target was given up.
    func sealedCallback(_ row: UInt32) throws(StoreFault) -> [UInt8]? {
        let select = try transaction.connection.statement(
            "SELECT sealed FROM callback WHERE row = ?1", row)
        return try select.step() && !select.isNull(0) ? select.bytes(0) : nil
    }

    func set(sealedCallback sealed: [UInt8], _ row: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback SET sealed = ?2 WHERE row = ?1", row, sealed)
    }

    func park(_ position: Int64, of callback: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback_event SET rank = ?3 WHERE position = ?1 AND callback = ?2", position,
            callback, CallbackRows.Rank.parked.rawValue)
    }

    /// Deletes everything except the record that the callback existed.
    func close(callback row: UInt32, _ state: CallbackState) throws(StoreFault) {
        try transaction.connection.run("DELETE FROM callback_event WHERE callback = ?1", row)
        try transaction.connection.run(
            "UPDATE callback SET events = 0, bytes = 0, sealed = NULL WHERE row = ?1", row)
        try set(state, ofCallback: row)
    }

    func delete(callback row: UInt32) throws(StoreFault) {
        try transaction.connection.run("DELETE FROM callback_event WHERE callback = ?1", row)
        try transaction.connection.run("DELETE FROM forward WHERE row = ?1", row)
        try transaction.connection.run("DELETE FROM callback WHERE row = ?1", row)
    }

    /// A forward leaves nothing behind.
    private func giveUp(_ row: UInt32, _ state: CallbackState) throws(StoreFault) {
        guard try !isForward(row) else { return try drop(row) }
        try close(callback: row, state)
    }

    private func isForward(_ row: UInt32) throws(StoreFault) -> Bool {
        try transaction.connection.number(
            "SELECT EXISTS (SELECT 1 FROM forward WHERE row = ?1)", row) != 0
    }

    /// Keeps for the owner of a forward what its push service said last.
    private func keep(_ answer: PushServiceAnswer, of row: UInt32) throws(StoreFault) {
        let time = transaction.time.reading().wall / 1_000
        try transaction.connection.run(
            """
            UPDATE forward SET status = ?2, reason = ?3, delivered = coalesce(?4, delivered)
            WHERE row = ?1
            """, row, Int64(answer.status), answer.reason,
            answer.meaning == .accepted ? time : nil)
    }
}
