import Base
import Crypto
import SQLite

/// What callbacks and their events do within the transaction.
extension BatchExecutor {
    /// The operation with what is to be told of it: both, or neither because an outbox is full. What
    /// only time brings is left out then: of what counts, each start reminds.
    func perform(
        _ operation: StoreOperation, with callbacks: [CallbackOperation],
        _ acknowledged: inout Acknowledged
    ) throws(StoreFault) -> StoreOutcome {
        for case .add(let event, let callback) in callbacks {
            guard let usage = try usage(of: callback), !hasRoom(usage, for: event) else { continue }
            if let message = operation.message { effects.unused.append(message) }
            return .full
        }
        let outcome = try perform(operation, &acknowledged)
        switch outcome {
        case .stored, .acknowledged, .done, .withdrawn, .registration(.outranked):
            #if PLANT_OUTBOX_AFTER_ANSWER
                lateCallbacks += callbacks
            #else
                for callback in callbacks { _ = try perform(callback) }
            #endif
        case .notFound, .conflict, .full, .unavailable, .registration: break
        }
        return outcome
    }

    func perform(_ operation: CallbackOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .make(let callback, let introduction):
            return try make(callback, introduction)
        case .rotateSecret(let callback, let secret):
            return try rotate(callback, secret)
        case .add(let event, let callback):
            guard let usage = try usage(of: callback), usage.state.takesEvents else {
                return .notFound
            }
            guard hasRoom(usage, for: event) else { return .full }
            if try !count(event, of: callback) { try insert(event, of: callback, .inOrder) }
            return .done
        case .end(let callback, let last):
            return try end(callback, last)
        case .record(let record):
            return try apply(record)
        }
    }

    private func make(
        _ callback: Callback, _ introduction: OutboxEvent
    ) throws(StoreFault) -> StoreOutcome {
        let sealed = try seal(CallbackCode.bytes(callback), CallbackRows.place(callback.row))
        let now = time.now
        if let former = try database.introduction(of: callback.row) {
            _ = try database.callbacks.delete(former, of: callback.row)
        }
        try database.put(callback: callback.row, created: now, sealed: sealed)
        try insert(introduction, of: callback.row, .introduction)
        effects.note(.changed, of: callback.row)
        effects.changes.append(.callback(callback.row, isGone: false))
        return .done
    }

    private func rotate(
        _ row: UInt32, _ secret: Secret
    ) throws(StoreFault) -> StoreOutcome {
        let sealed = try database.sealedCallback(row)
        guard let sealed else { return .notFound }
        let opened: Secret
        do throws(Sealer.Failure) {
            opened = try sealer.open(sealed.span, at: CallbackRows.place(row))
        } catch { throw .damaged("a callback does not unseal") }
        guard var callback = opened.withSpan({ CallbackCode.callback(row: row, $0) }) else {
            throw .damaged("a callback cannot be read")
        }
        let now = time.now
        let former = callback.secrets.compactMap { entry -> Callback.SigningSecret? in
            let expiry = entry.expiry ?? now.adding(seconds: Callback.graceOfSecret)
            return expiry <= now ? nil : Callback.SigningSecret(entry.secret, expiry: expiry)
        }
        callback.secrets = [Callback.SigningSecret(secret)] + former.prefix(1)
        let renewed = try seal(CallbackCode.bytes(callback), CallbackRows.place(row))
        try database.set(sealedCallback: renewed, row)
        return .done
    }

    private func end(
        _ row: UInt32, _ last: OutboxEvent?
    ) throws(StoreFault) -> StoreOutcome {
        guard let usage = try usage(of: row) else { return .notFound }
        if usage.state == .active, let last { try insert(last, of: row, .inOrder) }
        if usage.state == .active, last != nil || usage.events > 0 {
            try database.set(.ending, ofCallback: row)
        } else if usage.state != .ending {
            try database.delete(callback: row)
        }
        effects.note(.changed, of: row)
        effects.changes.append(.callback(row, isGone: false))
        return .done
    }

    private func apply(_ record: AttemptRecord) throws(StoreFault) -> StoreOutcome {
        let (row, position) = (record.callback, record.position)
        guard let usage = try usage(of: row) else { return .notFound }
        var action: Int64?
        switch record.result {
        case .delivered:
            let event = try database.callbacks.delete(position, of: row)
            action = event?.action
            if event?.rank == .introduction, usage.state == .unconfirmed {
                try database.set(.active, ofCallback: row)
            }
        case .postponed(let attempts, let refusals, let due):
            try database.callbacks.postpone(
                position, of: row, attempts: attempts, refusals: refusals, due: due)
        // Nothing will bring back what is parked at the end.
        case .parked where usage.state != .ending: try database.park(position, of: row)
        case .parked, .dead: _ = try database.callbacks.delete(position, of: row)
        case .gone: try database.close(callback: row, .gone)
        case .lapsed: try database.close(callback: row, .lapsed)
        }
        try settle(row, usage.state)
        if record.result == .gone, usage.state != .ending {
            effects.changes.append(.callback(row, isGone: true))
        }
        if let action { try take(action: action, ofDevice: row) }
        return .done
    }

    /// Deletes some of what has died; how many.
    func sweepCallbacks(
        at now: StoreTime, limit: Int
    ) throws(StoreFault) -> Int {
        let dead = try database.callbacks.dead(at: now, limit: limit)
        for (position, callback) in dead {
            _ = try database.callbacks.delete(position, of: callback)
            guard let usage = try database.callbacks.usage(of: callback) else { continue }
            try settle(callback, usage.state)
            effects.note(.changed, of: callback)
        }
        return dead.count
    }

    /// A callback whose registration has ended goes with its last event.
    private func settle(_ row: UInt32, _ state: CallbackState) throws(StoreFault) {
        guard state == .ending, try database.callbacks.usage(of: row)?.events == 0 else { return }
        try database.delete(callback: row)
    }

    private func insert(
        _ event: OutboxEvent, of callback: UInt32, _ rank: CallbackRows.Rank
    ) throws(StoreFault) {
        position += 1
        let sealed = try seal(event.body, CallbackRows.eventPlace(position))
        let now = time.now
        try database.callbacks.insert(
            event, of: callback, rank, at: position, now, sealed: sealed)
        let death = now.adding(seconds: max(event.ttl, OutboxEvent.lifetime))
        nextExpiry = min(nextExpiry ?? death, death)
        effects.note(.added, of: callback)
    }

    /// Whether it could be counted into one that waits.
    private func count(_ event: OutboxEvent, of callback: UInt32) throws(StoreFault) -> Bool {
        guard let tally = event.tally else { return false }
        #if PLANT_MERGE_IN_FLIGHT
            let isFirstFree = true
        #else
            let isFirstFree = index.callbacks.beginChange(of: callback)
        #endif
        let last = try database.callbacks.lastTally(of: callback, handedOut: !isFirstFree)
        // One from before the start may have been sent, and whoever has it may ignore it now.
        guard let last, last.position > openedAt else { return false }
        let count = last.count + tally.count
        let sealed = try seal(
            event.body(counting: count), CallbackRows.eventPlace(last.position))
        let dies = time.now.adding(seconds: max(event.ttl, OutboxEvent.lifetime))
        try database.callbacks.replace(
            last.position, ofSize: last.size, of: callback, with: event, count: count,
            dies: dies, sealed: sealed)
        return true
    }

    private func usage(of callback: UInt32) throws(StoreFault) -> CallbackRows.Usage? {
        try database.callbacks.usage(of: callback)
    }

    /// What the service itself has to say is still taken where pushes are refused, as much again.
    private func hasRoom(_ usage: CallbackRows.Usage, for event: OutboxEvent) -> Bool {
        let (size, growth) = (Int64(event.body.count), limits.growth)
        let part: Int64 = event.isPush ? 1 : 2
        return !usage.state.takesEvents
            || (usage.events < OutboxLimits.events * part
                && usage.bytes + size <= OutboxLimits.bytes * part
                && usage.ownerBytes + size <= Int64(growth.callbacks.bytes) * part
                && usage.allBytes + size <= Int64(growth.allCallbacks.bytes) * part)
    }

    func seal(
        _ bytes: [UInt8], _ place: Sealer.Place
    ) throws(StoreFault) -> [UInt8] {
        do throws(OpenSSLError) { return try sealer.seal(bytes.span, at: place) } catch {
            throw .crypto(error)
        }
    }
}
