import Glibc
import Synchronization

/// Descriptors, timers and mail from other threads, served in turns by one thread.
///
/// One turn: wait, tell the handlers of what is ready, fire what is due, run what was posted. Each
/// part does a bounded amount, so none keeps the others waiting. The loop holds its handlers until
/// their watch or timer ends. `post`, `stop` and `drain` are for every thread; everything else is
/// for the thread in `run()`, or the one that prepares the loop before that.
// Unchecked: `mail`, `owner` and `Poll.ring` are made for all threads; the rest is touched by
// the thread of the loop alone.
package final class EventLoop: @unchecked Sendable {
    private static let timersPerTurn = 256
    private static let workPerTurn = 1_024
    private static let drainsPerTurn = 256
    private static let roundsAtEnd = 64

    struct Alarm {
        let handler: any TimerHandler
        let cookie: UInt64
    }

    struct Schedule {
        var now = Instant.now
        var timers = TimerQueue<Alarm>()
    }

    /// When this turn began.
    package var now: Instant { schedule.pointee.now }
    /// The loop is about to end; do not begin anything that lasts.
    package var isDraining: Bool { closing.isDraining }

    let poll: Poll
    let mail = LoopMail()
    /// The thread in `run()`, zero when there is none.
    private let owner = Atomic<UInt>(0)
    @exclusivity(unchecked) var watchers = WatcherTable()
    /// Apart, because the checks for overlapping access that a property of a class has would cost
    /// more than all else when a timer is put off. No handler is called within an access.
    let schedule: UnsafeMutablePointer<Schedule>
    @exclusivity(unchecked) private var work = WorkQueue()
    @exclusivity(unchecked) private var closing = Closing()
    @exclusivity(unchecked) private(set) var turns = 0

    package init() throws(ReactorError) {
        poll = try Poll()
        schedule = .allocate(capacity: 1)
        schedule.initialize(to: Schedule())
    }

    deinit { schedule.deinitialize(count: 1).deallocate() }

    /// Whether the caller is on the thread of this loop.
    package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Serves until it was stopped or has drained. Only once in the life of a loop.
    package func run() -> Ending {
        let me = UInt(pthread_self())
        let (isFree, _) = owner.compareExchange(expected: 0, desired: me, ordering: .relaxed)
        precondition(isFree, "a loop is run by one thread")
        defer { owner.store(0, ordering: .relaxed) }
        while true {
            turn()
            if let ending = closing.ending(watched: watchers.count, now: now) {
                letGo()
                return ending
            }
        }
    }

    /// Ends the loop after this turn. From any thread.
    package func stop() {
        post { self.closing.stop() }
    }

    /// Asks all handlers to come to an end; what is left after so long is let go. From any thread.
    package func drain(within limit: Duration) {
        let deadline = Instant.now + Interval(limit)
        post { self.closing.drain(until: deadline) }
    }

    /// Runs `call` on the thread of the loop, in the order of the calls. From any thread; false when
    /// the loop has ended.
    @discardableResult
    package func post(_ call: @escaping @Sendable () -> Void) -> Bool {
        let item = Work(call: call)
        if isCurrent {
            work.append(item)
            return true
        }
        switch mail.put(item) {
        case .taken: return true
        case .takenAsleep:
            poll.ring()
            return true
        case .refused: return false
        }
    }

    /// State of the loop is being touched: by its thread, or before it has one.
    func requireOwnThread() {
        let owner = owner.load(ordering: .relaxed)
        precondition(owner == 0 || owner == UInt(pthread_self()), "the loop has another thread")
    }

    private func turn() {
        let count = poll.wait(timeToWait())
        mail.wakeUp()
        schedule.pointee.now = .now
        turns &+= 1
        for index in 0..<count { dispatch(index) }
        fireTimers()
        if closing.isDraining { tellToDrain() }
        runWork()
    }

    /// In milliseconds, as `epoll_wait` takes it: rounded up, so that a timer is never too early.
    private func timeToWait() -> Int32 {
        let isSweeping = closing.isDraining && !watchers.areAllTold
        guard work.isEmpty, !isSweeping, mail.prepareToSleep() else { return 0 }
        let (timer, deadline) = (schedule.pointee.timers.earliest, closing.deadline)
        guard let end = timer.map({ min($0, deadline ?? $0) }) ?? deadline else { return -1 }
        let rest = end.nanoseconds - Instant.now.nanoseconds
        return rest <= 0 ? 0 : Int32(clamping: (rest + 999_999) / 1_000_000)
    }

    /// An event of a watch that ended earlier in the same batch reaches nobody.
    private func dispatch(_ index: Int) {
        guard let (watch, mask) = poll.event(index), let entry = watchers.entry(watch) else {
            return
        }
        entry.handler?.ready(Readiness(mask: mask, interest: entry.interest), of: watch)
    }

    private func fireTimers() {
        for _ in 0..<Self.timersPerTurn {
            guard let alarm = schedule.pointee.timers.popDue(now) else { return }
            alarm.handler.timerFired(alarm.cookie)
        }
    }

    private func tellToDrain() {
        for _ in 0..<Self.drainsPerTurn {
            guard let handler = watchers.nextToDrain() else { return }
            handler.drain()
        }
    }

    private func runWork() {
        work.collect(from: mail)
        for _ in 0..<Self.workPerTurn {
            guard let item = work.popFirst() else { return }
            item.call()
        }
    }

    /// Handlers end here on the thread of the loop, and may still call it.
    private func letGo() {
        for watch in watchers.watches { unwatch(watch) }
        while schedule.pointee.timers.popDue(Instant(nanoseconds: .max)) != nil {}
        mail.close()
        // All that was taken is run, but not what begets more without end.
        for _ in 0..<Self.roundsAtEnd {
            runWork()
            if work.isEmpty { return }
        }
        // Let go, because it may hold this loop.
        _ = exchange(&work, with: WorkQueue())
    }
}
