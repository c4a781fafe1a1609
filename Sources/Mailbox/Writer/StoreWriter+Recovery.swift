import Synchronization
import System

/// Failures.
extension StoreWriter {
    func fail(_ fault: StoreFault, _ submissions: ArraySlice<Submission>) {
        if let executor {
            doubt = Doubt(
                batch: executor.state.batch + 1, effects: executor.effects,
                submissions: submissions)
        }
        executor = nil
        note(fault)
        usable.store(false, ordering: .relaxed)
        scheduleRetry()
        onFault(fault)
        answerUnavailable(submissions)
    }

    func recover() {
        do throws(StoreFault) {
            let executor = try source.reopen()
            resolveDoubt(executor)
            _ = try executor.catchUp()
            executor.pinned = nil
            giveUpPinned()
            // Pages that the file system failed to write may look written when they are read back.
            // Copying them into the database file writes them again.
            if lastFault?.isFull == true {
                // The WAL may be most of what fills a full disk. Without room to copy it, it stays.
                _ = try? executor.checkpoint(.truncating)
            } else {
                guard try executor.checkpoint(.truncating) else { return scheduleRetry() }
            }
            try executor.unlessOutdated { () throws(StoreFault) in try executor.commitNothing() }
            self.executor = executor
            usable.store(true, ordering: .relaxed)
            settling.store(false, ordering: .relaxed)
            source.index.engines.notifyStoreReturned()
        } catch {
            scheduleRetry()
            if error != lastFault { onFault(error) }
            note(error)
        }
    }

    private func note(_ fault: StoreFault) {
        lastFault = fault
        settling.store(fault.isBrief, ordering: .relaxed)
        if case .newerLog(let found, _) = fault { newerLog.store(found, ordering: .relaxed) }
        if case .differs(let found) = fault { difference.withLock { $0 = found } }
    }

    /// Each attempt waits longer than the one before, until a batch is committed.
    private func scheduleRetry() {
        retryAt = Boot.milliseconds + retryDelay
        retryDelay = min(2 * retryDelay, Self.retryDelays.upperBound)
    }

    /// Settles the failed batch once the open database shows whether it was committed.
    private func resolveDoubt(_ executor: BatchExecutor) {
        guard let doubt else { return }
        if executor.state.batch == doubt.batch { source.apply(doubt.effects) }
        doubt.submissions.endReservations()
        self.doubt = nil
    }
}
