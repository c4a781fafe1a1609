import Base
import Delivery
import Synchronization
import System

/// The only thread that writes: it takes queued operations, commits them in batches and answers.
///
/// After a failure nothing is carried out until the database has been opened and checked again.
/// Until then every operation is answered with `.unavailable` at once.
// Unchecked: all threads may use the queue and the flag; once the writer's thread runs, only that
// thread uses the rest.
final class StoreWriter: @unchecked Sendable {
    /// A batch that may or may not have been committed.
    struct Doubt {
        let batch: Int64
        let effects: BatchEffects
        /// The messages of the batch keep their reservations until that is known.
        let submissions: ArraySlice<Submission>
    }

    /// This many operations suggest that more are coming, but are too few to be worth a commit. The
    /// wait for more is in milliseconds.
    private static let crowd = 4..<64
    private static let moment: Int64 = 2
    static let sweepLimit = 512
    static let resealedAtOnce = 64
    static let remindedAtOnce = 64
    static let sweepInterval: Int64 = 1_000
    /// A thread makes the bytes of a large account. In milliseconds.
    private static let draftInterval: Int64 = 5
    /// Erasing waits for readers, so it is not tried again at once. In milliseconds.
    static let eraseInterval: Int64 = 5_000
    /// How often a failed store is tried again while somebody waits for a pause. In milliseconds.
    private static let pauseInterval: Int64 = 50

    private let queue = Monitor(WriterQueue())
    let usable = Atomic(true)
    /// Other stores write so fast that this one does not get to write.
    let shutOut = Atomic(false)
    /// What is refused now may be accepted within seconds.
    let settling = Atomic(false)
    /// The last entry of the log that is in the store.
    let applied = Atomic<Int64>(0)
    /// The last entry of the log that is in the store, with its digest, if that is known.
    let mark = Lock<EntryMark?>(nil)
    /// The store as it is after an entry, for a comparison; nil when it was taken.
    let pinned = Lock<PinnedStore?>(nil)
    /// The store that was pinned last, as long as it is being read.
    weak var lastPinned: PinnedStore?
    /// Whether the next batch asks all stores for a comparison.
    let isComparisonDue = Atomic(false)
    /// How far everything has been sealed again; nil unless that is under way. Any thread may use
    /// it.
    let resealing = Lock<ResealingProgress?>(nil)
    /// How many rows did not open when everything was sealed again; nil before that.
    let unopened = Lock<Int?>(nil)
    /// The id of the master key under which the store seals. No commit under way uses another one.
    let sealing: Atomic<UInt64>
    /// The schema of an entry that this program does not know; zero if there is none.
    let newerLog = Atomic(0)
    /// The table by which the store differs from the others; nil while no difference is known.
    let difference = Lock<StoreDifference?>(nil)
    let pause = Monitor(Pause.none)
    private let limits: StoreLimits
    let source: StoreSource
    let onFault: @Sendable (StoreFault) -> Void
    let onResealed: @Sendable (Int) -> Void
    /// Nil while the database cannot be trusted.
    var executor: BatchExecutor?
    var lastFault: StoreFault?
    private var rounds = RecentRounds()
    var doubt: Doubt?
    var retries = Backoff(first: .milliseconds(50), longest: .seconds(5))
    /// No new attempt before this time since boot.
    var retryAt: Int64 = 0
    /// The file is closed until `endPause`.
    var isPausing = false
    var nextSweep = StoreTime(milliseconds: .min)
    var checkpoints: CheckpointSchedule
    var freePages = FreePageSchedule()
    /// The next attempt to erase what was forgotten: milliseconds since boot.
    var nextErasure: Int64 = 0

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
        checkpoints = CheckpointSchedule(path: source.path)
        sealing = Atomic(executor.transaction.sealer.keyID)
    }

    /// Begins to follow the log that the stores share. Call this before the thread starts.
    func join() throws(StoreFault) {
        guard let log = source.log, let executor else { return }
        log.log.follow { [weak self] in self?.wake() }
        try executor.engines.beginSharing(as: log.node) { [weak self] in self?.wake() }
    }

    /// Any thread may call it.
    var isUsable: Bool { usable.load(ordering: .relaxed) }

    /// Any thread may call it.
    func submit(_ submission: Submission) {
        let (isTaken, isAwaited) = queue.withLock { queue in
            let isTaken = queue.put(submission, within: limits)
            return (isTaken, isTaken && queue.waiting.count == queue.awaited)
        }
        if isAwaited { queue.signal() }
        if !isTaken { refuse([submission]) }
    }

    /// Looks for work that no operation asked for. Any thread may call it.
    func wake() {
        queue.withLock { $0.isWoken = true }
        queue.signal()
    }

    /// Accepts nothing more, finishes the queued work and ends the thread. Any thread may call it.
    func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
    }

    /// The thread's loop, until `close`. Call `finish` after it.
    func run() {
        var taken: [Submission] = []
        while let isAtWork = wait(&taken) {
            followPause()
            if isAtWork {
                awaitTurn(&taken)
                gather(&taken)
                let later = taken.splitOffEngineWork()
                if !later.isEmpty { queue.withLock { $0.waiting.insert(contentsOf: later, at: 0) } }
                for start in stride(from: 0, to: taken.count, by: limits.batch) {
                    if start > 0 { awaitTurn() }
                    process(taken[start..<min(start + limits.batch, taken.count)])
                }
                rounds.add(taken.count, at: Boot.milliseconds)
                taken.removeAll(keepingCapacity: true)
            } else {
                rest()
            }
        }
    }

    /// If several operations arrived together, more are on their way: after a short wait one commit
    /// serves all of them at the same cost. A single operation does not wait, and the wait ends
    /// when there are as many as in the largest of the last rounds.
    private func gather(_ taken: inout [Submission]) {
        let expected = max(taken.count, rounds.largest(at: Boot.milliseconds))
        guard expected >= Self.crowd.lowerBound, taken.count < Self.crowd.upperBound,
            executor != nil
        else { return }
        let missing = max(expected - taken.count, 1)
        queue.withLock { $0.awaited = missing }
        _ = queue.wait(atMost: Self.moment) { $0.waiting.count < missing ? nil : () }
        queue.withLock { $0.move(to: &taken) }
    }

    /// Waits for the turn of this store, and takes the operations that come meanwhile.
    private func awaitTurn(_ taken: inout [Submission]) {
        if awaitTurn() { queue.withLock { $0.move(to: &taken) } }
    }

    /// True if it waited.
    @discardableResult private func awaitTurn() -> Bool {
        var hasWaited = false
        while let executor {
            let rest = executor.turns.rest(at: Boot.milliseconds)
            guard rest > 0 else { break }
            hasWaited = true
            _ = queue.wait(atMost: rest) { $0.isWoken ? () : nil }
            queue.withLock { $0.isWoken = false }
            do throws(StoreFault) { _ = try executor.catchUp() } catch { fail(error, []) }
        }
        return hasWaited
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

    /// Milliseconds until something has to be done without being asked; nil for never.
    private var patience: Int64? {
        if isPausing { return nil }
        if isPauseWanted { return Self.pauseInterval }
        guard let executor else { return max(0, retryAt - Boot.milliseconds) }
        if executor.hasToReseal || executor.isReminding || executor.hasAccountsToWrite { return 0 }
        var upkeep = checkpoints.patience(executor, at: Boot.milliseconds)
        let calm = freePages.patience(executor, at: Boot.milliseconds)
        upkeep = [upkeep, calm].compactMap(\.self).min()
        if executor.isDrafting { upkeep = min(upkeep ?? .max, Self.draftInterval) }
        // This store may become the leading one, of which it is not told.
        if executor.log != nil { upkeep = min(upkeep ?? .max, Self.sweepInterval) }
        if executor.hasToErase {
            return min(max(0, nextErasure - Boot.milliseconds), upkeep ?? .max)
        }
        guard executor.isLead, let expiry = executor.nextExpiry else { return upkeep }
        let rest = expiry.milliseconds - executor.time.now.milliseconds
        return min(max(rest, Self.sweepInterval), upkeep ?? 3_600_000)
    }

    private func process(_ submissions: ArraySlice<Submission>) {
        defer { queue.withLock { $0.settle(submissions) } }
        // A steady stream of operations must not keep the store from recovering.
        if executor == nil, !isPausing, retryAt <= Boot.milliseconds { recover() }
        guard let executor else { return refuse(submissions) }
        do throws(StoreFault) {
            let done = try executor.runInTurn(submissions)
            noteTurns(executor)
            settling.store(done == nil, ordering: .relaxed)
            guard var outcomes = done else { return refuse(submissions) }
            if executor.hasToErase { erase(executor, submissions, &outcomes) }
            retries.reset()
            var deliveries = Deliveries()
            deliveries.add(submissions, outcomes)
            deliveries.send()
        } catch {
            return fail(error, submissions)
        }
        // These operations have their answers.
        do throws(StoreFault) { try keepUp(executor) } catch { fail(error, []) }
    }

    func noteTurns(_ executor: BatchExecutor) {
        shutOut.store(executor.turns.isShutOut(at: Boot.milliseconds), ordering: .relaxed)
    }

    /// Erases what was forgotten. The operations that asked for it are answered `.unavailable` if
    /// the files still have some of it.
    private func erase(
        _ executor: BatchExecutor, _ submissions: ArraySlice<Submission>,
        _ outcomes: inout [StoreOutcome]
    ) {
        guard !erase(executor) else { return }
        nextErasure = Boot.milliseconds + Self.eraseInterval
        for (index, submission) in submissions.enumerated() where submission.operation.forgets {
            outcomes[index] = .unavailable
        }
    }

    func erase(_ executor: BatchExecutor) -> Bool {
        executor.pinned = nil
        giveUpPinned()
        return executor.erase()
    }

    /// Gives up the comparison, because the WAL cannot be emptied until its end. The next one comes
    /// soon.
    func giveUpPinned() {
        pinned.withLock { $0 = nil }
        lastPinned?.giveUp()
    }

    /// Answers operations that were not carried out and will not be.
    private func refuse(_ submissions: ArraySlice<Submission>) {
        submissions.endReservations()
        answerUnavailable(submissions)
    }

    func answerUnavailable(_ submissions: ArraySlice<Submission>) {
        var deliveries = Deliveries()
        for submission in submissions { deliveries.add(submission, .unavailable) }
        deliveries.send()
    }
}
