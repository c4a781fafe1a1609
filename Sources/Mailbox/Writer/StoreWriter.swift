import Delivery
import Glibc
import Synchronization
import System

/// The one thread that writes: takes what waits, commits it in batches, and answers.
///
/// After a failure nothing is carried out until the database was opened anew and looked through;
/// until then every operation is answered with `.unavailable` at once.
// Unchecked: the queue and the flag are for all threads; the rest is touched by the writer's thread
// alone, once that has begun.
final class StoreWriter: @unchecked Sendable {
    /// A batch of which it is not known whether it was committed.
    private struct Doubt {
        let batch: Int64
        let effects: BatchEffects
        /// What was reserved for its messages stays so until then.
        let submissions: ArraySlice<Submission>
    }

    /// So many at once are some, but not enough to be worth a commit. And how long to wait for more,
    /// in microseconds.
    private static let crowd = 4..<64
    private static let moment: UInt32 = 2_000
    /// After so many milliseconds whoever comes has nothing to do with those before.
    private static let soon: Int64 = 5
    private static let engineShare = 16
    private static let sweepLimit = 512
    private static let resealedAtOnce = 64
    private static let remindedAtOnce = 64
    private static let sweepInterval: Int64 = 1_000
    /// The WAL is copied when there is nothing else to do for so many milliseconds, or when it has
    /// so many pages: about 1 MiB, and 64 MiB.
    private static let idleTime: Int64 = 50
    private static let idlePages = 256
    private static let manyPages = 16_384
    /// The WAL takes at most this part of what the disk has left, so that it never fills the disk
    /// with what could be copied into the file.
    private static let partOfDisk = 8
    private static let pageSize = 4_096
    private static let retryDelays: ClosedRange<Int64> = 50...5_000

    private let queue = Monitor(WriterQueue())
    private let usable = Atomic(true)
    private let limits: StoreLimits
    private let source: StoreSource
    private let onFault: @Sendable (StoreFault) -> Void
    private let onResealed: @Sendable (Int) -> Void
    /// Nil while the database cannot be trusted.
    private var executor: BatchExecutor?
    private var lastFault: StoreFault?
    /// How many operations were done last, and when.
    private var committed = (count: 0, at: Int64.min / 2)
    private var doubt: Doubt?
    private var retryDelay = StoreWriter.retryDelays.lowerBound
    /// Not before this, by the clock of the machine's start.
    private var retryAt: Int64 = 0
    private var nextSweep = StoreTime(milliseconds: .min)
    private var checkpointAt = 0

    init(
        _ executor: BatchExecutor, source: StoreSource, limits: StoreLimits,
        onFault: @escaping @Sendable (StoreFault) -> Void,
        onResealed: @escaping @Sendable (Int) -> Void
    ) {
        self.executor = executor
        self.source = source
        self.limits = limits
        self.onFault = onFault
        self.onResealed = onResealed
        checkpointAt = manyPages
    }

    private var manyPages: Int {
        let room = FreeSpace.bytes(at: source.path) ?? .max
        return min(max(room / Self.partOfDisk / Self.pageSize, Self.idlePages), Self.manyPages)
    }

    /// From any thread.
    var isUsable: Bool { usable.load(ordering: .relaxed) }

    /// From any thread.
    func submit(_ submission: Submission) {
        let (isTaken, isFirst) = queue.withLock { queue in
            let isTaken = queue.put(submission, within: limits)
            return (isTaken, isTaken && queue.waiting.count == 1)
        }
        if isFirst { queue.signal() }
        if !isTaken { refuse([submission]) }
    }

    /// Looks for work that nobody waits for. From any thread.
    func wake() {
        queue.withLock { $0.isWoken = true }
        queue.signal()
    }

    /// Takes nothing more; what waits is still carried out, then the thread ends. From any thread.
    func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
    }

    /// What the thread does, until `close`.
    func run() {
        var taken: [Submission] = []
        while let isAtWork = wait(&taken) {
            if isAtWork {
                gather(&taken)
                putOff(&taken)
                for start in stride(from: 0, to: taken.count, by: limits.batch) {
                    process(taken[start..<min(start + limits.batch, taken.count)])
                }
                committed = (taken.count, Boot.milliseconds)
                taken.removeAll(keepingCapacity: true)
            } else {
                rest()
            }
        }
        finish()
    }

    /// Where some came during the last commit, or had it in common, more are on their way: a moment
    /// later one commit does for all of them, and costs no more. Who comes alone does not wait.
    private func gather(_ taken: inout [Submission]) {
        let isSoon = Boot.milliseconds - committed.at <= Self.soon
        let expected = max(taken.count, isSoon ? committed.count : 0)
        guard expected >= Self.crowd.lowerBound, taken.count < Self.crowd.upperBound,
            executor != nil
        else { return }
        usleep(Self.moment)
        queue.withLock { queue in
            taken += queue.waiting
            queue.waiting.removeAll(keepingCapacity: true)
        }
    }

    /// What an engine is asked may take a part of a millisecond, for which all wait whose pushes come
    /// with the same commit: so many go with it, and the others with the next ones, in their order.
    private func putOff(_ taken: inout [Submission]) {
        guard taken.reduce(0, { $0 + $1.engineWork }) > Self.engineShare else { return }
        var (now, later, share) = ([Submission](), [Submission](), Self.engineShare)
        for submission in taken {
            let work = submission.engineWork
            // One that is more than the share goes alone.
            if work > 0, share <= 0 || !later.isEmpty {
                later.append(submission)
            } else {
                share -= work
                now.append(submission)
            }
        }
        taken = now
        queue.withLock { $0.waiting.insert(contentsOf: later, at: 0) }
    }

    /// True when there is work, false when there was none for a while, nil at the end.
    private func wait(_ taken: inout [Submission]) -> Bool? {
        let answer: Bool?? = queue.wait(atMost: patience) { queue in
            if queue.waiting.isEmpty {
                guard queue.isWoken else { return queue.isClosed ? .some(nil) : nil }
                queue.isWoken = false
                return .some(false)
            }
            swap(&queue.waiting, &taken)
            return .some(true)
        }
        return answer ?? false
    }

    /// Milliseconds after which something has to be done without being asked.
    private var patience: Int64? {
        guard let executor else { return max(0, retryAt - Boot.milliseconds) }
        if executor.hasToReseal || executor.isReminding { return 0 }
        if executor.walPages > Self.idlePages { return Self.idleTime }
        guard let expiry = executor.nextExpiry else { return nil }
        let rest = expiry.milliseconds - executor.time.now.milliseconds
        return min(max(rest, Self.sweepInterval), 3_600_000)
    }

    private func process(_ submissions: ArraySlice<Submission>) {
        defer { queue.withLock { $0.settle(submissions) } }
        // However many operations come: none of them keeps the store from recovering.
        if executor == nil, retryAt <= Boot.milliseconds { recover() }
        guard let executor else { return refuse(submissions) }
        do throws(StoreFault) {
            let outcomes = try executor.run(submissions)
            retryDelay = Self.retryDelays.lowerBound
            var deliveries = Deliveries()
            deliveries.add(submissions, outcomes)
            deliveries.send()
        } catch {
            return fail(error, submissions)
        }
        // Those have their answers.
        do throws(StoreFault) { try keepUp(executor) } catch { fail(error, []) }
    }

    /// Nothing will be carried out, and nothing was.
    private func refuse(_ submissions: ArraySlice<Submission>) {
        submissions.endReservations()
        answerUnavailable(submissions)
    }

    private func answerUnavailable(_ submissions: ArraySlice<Submission>) {
        var deliveries = Deliveries()
        for submission in submissions { deliveries.add(submission, .unavailable) }
        deliveries.send()
    }
}

/// What is done between batches.
extension StoreWriter {
    private func keepUp(_ executor: BatchExecutor) throws(StoreFault) {
        let now = executor.time.now
        if let expiry = executor.nextExpiry, expiry <= now, nextSweep <= now {
            let isMore = try executor.sweep(atMost: Self.sweepLimit)
            let pause = isMore ? 0 : Self.sweepInterval
            nextSweep = StoreTime(milliseconds: now.milliseconds + pause)
        }
        if executor.isReminding { try executor.remind(atMost: Self.remindedAtOnce) }
        if executor.hasToReseal, let unopened = try executor.reseal(atMost: Self.resealedAtOnce) {
            onResealed(unopened)
        }
        if executor.walPages > checkpointAt { try checkpoint(executor) }
    }

    private func checkpoint(_ executor: BatchExecutor) throws(StoreFault) {
        // One that a reader held up is tried again only when there is as much more to copy.
        let isWhole = try executor.checkpoint(.passive)
        checkpointAt = (isWhole ? 0 : executor.walPages) + manyPages
    }

    private func rest() {
        guard let executor else { return recover() }
        do throws(StoreFault) {
            try keepUp(executor)
            if executor.walPages > Self.idlePages { try checkpoint(executor) }
        } catch {
            fail(error, [])
        }
    }

    /// The clock and the counters are recorded, and the WAL is emptied. All that matters is on the
    /// disk already, so a failure costs nothing but time at the next start.
    private func finish() {
        if let executor {
            try? executor.commitNothing()
            _ = try? executor.checkpoint(.truncating)
        }
        executor = nil
    }
}

/// Failures.
extension StoreWriter {
    private func fail(_ fault: StoreFault, _ submissions: ArraySlice<Submission>) {
        if let executor {
            doubt = Doubt(
                batch: executor.state.batch + 1, effects: executor.effects,
                submissions: submissions)
        }
        executor = nil
        lastFault = fault
        usable.store(false, ordering: .relaxed)
        putOff()
        onFault(fault)
        answerUnavailable(submissions)
    }

    private func recover() {
        do throws(StoreFault) {
            let executor = try source.reopen()
            clear(executor)
            // What the file system failed to write may look written when it is read again. Copied
            // into the database file, it is written anew.
            if lastFault?.isFull == true {
                // Most of what a full disk holds may be the WAL. Where there is no room to copy it,
                // it stays as it is.
                _ = try? executor.checkpoint(.truncating)
            } else {
                guard try executor.checkpoint(.truncating) else { return putOff() }
            }
            try executor.commitNothing()
            self.executor = executor
            usable.store(true, ordering: .relaxed)
            source.index.engines.tellStoreReturned()
        } catch {
            putOff()
            if error != lastFault { onFault(error) }
            lastFault = error
        }
    }

    /// Each attempt comes later than the one before, until a batch is committed.
    private func putOff() {
        retryAt = Boot.milliseconds + retryDelay
        retryDelay = min(2 * retryDelay, Self.retryDelays.upperBound)
    }

    /// Now it can be told whether the batch that failed was committed.
    private func clear(_ executor: BatchExecutor) {
        guard let doubt else { return }
        if executor.state.batch == doubt.batch { source.apply(doubt.effects) }
        doubt.submissions.endReservations()
        self.doubt = nil
    }
}
