import Base
import Notifications
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
            // The log may have the failed batch. Until that is known, the files of its messages stay.
            let doubt = self.doubt
            defer { withExtendedLifetime(doubt) {} }
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
            source.index.topics.notifyStoreReturned()
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
        retryAt = Boot.milliseconds + retries.next().wholeMilliseconds
    }

    /// Settles the failed batch once the open database shows whether it was committed.
    private func resolveDoubt(_ executor: BatchExecutor) {
        guard let doubt else { return }
        if executor.state.batch == doubt.batch { source.apply(doubt.effects) }
        doubt.submissions.endReservations()
        self.doubt = nil
    }
}

/// Opens the writer's database, at the start and after a failure.
struct StoreSource: Sendable {
    let path: String
    let keys: StoreKeys
    let index: StoreIndex
    let time: StoreTimekeeper
    let limits: StoreLimits
    /// The texts for Telegram's pushes.
    let templates: TelegramTemplates
    /// Called with the number of actions that no application took in time.
    let onExpiredActions: @Sendable (Int) -> Void
    /// Where commits are written down for other stores; nil for a store of its own.
    let log: LogSource?

    func reopen() throws(StoreFault) -> BatchExecutor {
        let connection = try WriterDatabase.open(path, pageLimit: limits.filePages)
        guard let record = try StateRow.read(on: connection) else {
            throw .damaged("the state is missing")
        }
        return try BatchExecutor(self, on: connection, state: record.values)
    }

    func apply(_ effects: BatchEffects) { effects.apply(to: index) }

    func filePlace(
        in folder: String, _ space: @escaping @Sendable (String) -> DiskSpace?
    ) -> FilePlace {
        FilePlace(
            folder: folder + "/" + TopicFiles.folderName, database: path, keys: keys, time: time,
            limits: limits.files, space: space, peers: log?.peers)
    }
}

/// A pause, in which the file stays as it is and all operations are refused.
extension StoreWriter {
    enum Pause: Sendable {
        case none
        case asked
        case begun
    }

    /// Blocks until the file has everything that was answered, and nothing more is written. False
    /// if that takes too long: then there is no pause.
    func beginPause(within limit: Int64) -> Bool {
        pause.withLock { $0 = .asked }
        wake()
        let hasBegun = pause.wait(atMost: limit) { $0 == .begun ? true : nil }
        if hasBegun == nil { endPause() }
        return hasBegun ?? false
    }

    func endPause() {
        pause.withLock { $0 = .none }
        wake()
    }

    var isPauseWanted: Bool { pause.withLock { $0 == .asked } }

    /// Only the writer's thread calls it, between two batches.
    func followPause() {
        let wanted = pause.withLock { $0 }
        if isPausing, wanted != .begun {
            isPausing = false
            retryAt = 0
            recover()
        }
        if wanted == .asked { closeFile() }
    }

    /// Closes the file, as after a failure. A store that has failed has to return first.
    private func closeFile() {
        guard let executor else { return }
        do throws(StoreFault) {
            try executor.unlessOutdated { () throws(StoreFault) in try executor.commitNothing() }
            guard try executor.catchUp() else { return wake() }
            _ = try executor.checkpoint(.truncating)
        } catch {
            return fail(error, [])
        }
        applied.store(executor.state.applied, ordering: .relaxed)
        self.executor = nil
        isPausing = true
        usable.store(false, ordering: .relaxed)
        settling.store(true, ordering: .relaxed)
        pause.withLock { if $0 == .asked { $0 = .begun } }
        pause.signal()
    }
}
