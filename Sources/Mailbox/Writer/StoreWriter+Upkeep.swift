import Delivery
import Synchronization
import System

/// Work between batches.
extension StoreWriter {
    func keepUp(_ executor: BatchExecutor) throws(StoreFault) {
        // What is left wakes the writer again, and is before the next operations.
        guard try executor.catchUp() else { return wake() }
        applied.store(executor.state.applied, ordering: .relaxed)
        if let last = executor.state.mark { mark.withLock { $0 = last } }
        if let pin = executor.pinned {
            executor.pinned = nil
            lastPinned = pin
            pinned.withLock { $0 = pin }
        }
        if isComparisonDue.exchange(false, ordering: .relaxed) { executor.askForComparison() }
        executor.keepNumbers()
        try executor.unlessOutdated { () throws(StoreFault) in try workAhead(executor) }
        sealing.store(executor.transaction.sealer.keyID, ordering: .relaxed)
        if checkpoints.isDue(executor) {
            try checkpoints.checkpoint(executor, at: Boot.milliseconds)
        }
        if executor.hasToErase, nextErasure <= Boot.milliseconds, !erase(executor) {
            nextErasure = Boot.milliseconds + Self.eraseInterval
        }
    }

    private func workAhead(_ executor: BatchExecutor) throws(StoreFault) {
        try executor.shareClients()
        let now = executor.time.now
        if executor.isLead, let expiry = executor.nextExpiry, expiry <= now, nextSweep <= now {
            let isMore = try executor.sweep(atMost: Self.sweepLimit)
            let pause = isMore ? 0 : Self.sweepInterval
            nextSweep = StoreTime(milliseconds: now.milliseconds + pause)
        }
        if executor.isReminding { try executor.remind(atMost: Self.remindedAtOnce) }
        if executor.hasAccountsToWrite { try executor.writeAccounts() }
        if executor.hasToReseal { try reseal(executor) }
    }

    private func reseal(_ executor: BatchExecutor) throws(StoreFault) {
        let unopened = try executor.reseal(atMost: Self.resealedAtOnce)
        if let unopened {
            self.unopened.withLock { $0 = unopened }
            onResealed(unopened)
        }
        let progress = executor.resealed
        resealing.withLock { $0 = progress }
    }

    func rest() {
        guard let executor else {
            if !isPausing { recover() }
            return
        }
        noteTurns(executor)
        do throws(StoreFault) {
            try keepUp(executor)
            try checkpoints.rest(executor, at: Boot.milliseconds)
            try freePages.rest(executor, at: Boot.milliseconds)
        } catch {
            fail(error, [])
        }
    }

    /// Records the clock and the counters, and empties the WAL. Everything that matters is on the
    /// disk already, so a failure only makes the next start slower.
    func finish() {
        if let executor {
            try? executor.commitNothing()
            _ = try? executor.checkpoint(.truncating)
        }
        executor = nil
    }
}
