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
    /// disk already, so a failure only makes the next start slower. The thread has ended.
    func finish() {
        if let executor {
            try? executor.commitNothing()
            _ = try? executor.checkpoint(.truncating)
        }
        executor = nil
    }
}

/// When the writer copies the WAL into the database file: at `idlePages` when it has nothing else to
/// do, or at `manyPages` at the latest. That is about 1 MiB and 32 MiB: others wait while it copies.
///
/// A copied WAL keeps its size on the disk, which saves making it again while much is written. When
/// that is over, the writer gives back what exceeds `keptBytes`.
struct CheckpointSchedule {
    /// How long the writer has to be idle, in milliseconds.
    private static let idleTime: Int64 = 50
    static let idlePages = 256
    private static let manyPages = 8_192
    /// The WAL takes at most this part of the free disk space, so it never fills the disk with pages
    /// that could be copied into the file.
    private static let partOfDisk = 8
    private static let pageSize = 4_096
    static let keptBytes = 8 << 20
    /// How long after a checkpoint of many pages the WAL file may be cut, in milliseconds.
    private static let calm: Int64 = 1_000

    private let path: String
    private var pages = 0
    /// When to look at the size of the WAL file; nil if it cannot be large. A WAL from before the
    /// start may be.
    private var lookAt: Int64? = 0

    init(path: String) {
        self.path = path
        pages = pageLimit
    }

    func isDue(_ executor: BatchExecutor) -> Bool { executor.walPages > pages }

    /// Milliseconds of idleness after which `rest` has something to do; nil for never.
    func patience(_ executor: BatchExecutor, at now: Int64) -> Int64? {
        if executor.walPages > Self.idlePages { return Self.idleTime }
        return lookAt.map { max($0 - now, Self.idleTime) }
    }

    mutating func checkpoint(
        _ executor: BatchExecutor, at now: Int64
    ) throws(StoreFault) {
        if executor.walPages > Self.keptBytes / Self.pageSize { lookAt = now + Self.calm }
        let isWhole = try executor.checkpoint(.passive)
        // After a checkpoint held up by a reader, wait until there is as much again to copy.
        pages = (isWhole ? 0 : executor.walPages) + pageLimit
    }

    /// Call it when the writer has been idle.
    mutating func rest(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        if executor.walPages > Self.idlePages { try checkpoint(executor, at: now) }
        guard let time = lookAt, time <= now else { return }
        lookAt = nil
        guard FileSize.bytes(of: path + "-wal") ?? 0 > Self.keptBytes else { return }
        // Nothing waits for a reader here: it is tried again later.
        if try !executor.checkpoint(.cutting) { lookAt = now + Self.calm }
    }

    private var pageLimit: Int {
        let room = FreeSpace.bytes(at: path) ?? .max
        return min(max(room / Self.partOfDisk / Self.pageSize, Self.idlePages), Self.manyPages)
    }
}

/// When the writer gives free pages of the file back to the disk: when nothing has happened for a
/// while, and more than half of the file holds nothing. It then goes on until none is free, or until
/// there is something else to do.
struct FreePageSchedule {
    /// How long nothing must have happened, in milliseconds.
    static let calm: Int64 = 1_000
    /// A file may keep as many free pages as this, whatever its size: 4 MiB.
    private static let kept = 1_024
    /// A step takes about as long as a commit: the next one is longer or shorter.
    private static let stepTime: ClosedRange<Int64> = 5...15
    private static let steps = 1...256

    /// What the file's state was when something was last done, and when to look at it.
    private var progress: Int64 = .min
    private var lookAt: Int64?
    private var isAtWork = false
    private var step = 64

    /// Milliseconds until `rest` has something to do; nil for never.
    mutating func patience(_ executor: BatchExecutor, at now: Int64) -> Int64? {
        if executor.progress != progress {
            progress = executor.progress
            lookAt = now + Self.calm
        }
        return lookAt.map { max($0 - now, 0) }
    }

    /// Call it when the writer has been idle.
    mutating func rest(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        guard let lookAt, lookAt <= now, executor.progress == progress else { return }
        // Each step makes the WAL longer. While a reader holds it back, it is not copied.
        guard executor.walPages <= CheckpointSchedule.idlePages else { return putOff(now) }
        do throws(StoreFault) { try goOn(executor, at: now) } catch {
            guard error.isFull else { throw error }
            // Nothing was changed, and the store works as before. A short step may find room.
            step = Self.steps.lowerBound
            putOff(now)
        }
    }

    private mutating func putOff(_ now: Int64) { lookAt = now + Self.calm }

    private mutating func goOn(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        let (all, free) = try executor.pages()
        guard free > (isAtWork ? 0 : max(Self.kept, all / 2)) else { return try end(executor) }
        isAtWork = true
        guard try executor.giveBack(pages: step) else { return try end(executor) }
        let time = Boot.milliseconds - now
        if time < Self.stepTime.lowerBound { step = min(2 * step, Self.steps.upperBound) }
        if time > Self.stepTime.upperBound { step = max(step / 2, Self.steps.lowerBound) }
    }

    /// The file gets shorter when the WAL has been copied.
    private mutating func end(_ executor: BatchExecutor) throws(StoreFault) {
        lookAt = nil
        if isAtWork { _ = try executor.checkpoint(.passive) }
        isAtWork = false
    }
}
