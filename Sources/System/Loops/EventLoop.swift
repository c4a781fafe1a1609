import Glibc
import Synchronization

/// Serves descriptors, timers and calls from other threads, in turns, on one thread.
///
/// One turn: wait, call the handlers of ready descriptors, fire due timers, run posted calls. Each
/// part does a bounded amount, so none starves the others. The loop keeps handlers alive until
/// their watch or timer ends. `post`, `stop` and `drain` may be called on every thread, everything
/// else only on the thread in `run()`, or before `run()` on the thread that prepares the loop.
// Unchecked: `mail`, `owner` and `Poll.ring` are safe on all threads; the rest is used only on the
// thread of the loop.
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
    /// The loop is about to end; begin nothing that lasts.
    package var isDraining: Bool { closing.isDraining }

    let poll: Poll
    let mail = LoopMail()
    /// The thread in `run()`; zero if there is none.
    private let owner = Atomic<UInt>(0)
    @exclusivity(unchecked) var watchers = WatcherTable()
    /// How many connections linger.
    @exclusivity(unchecked) var lingering = 0
    /// The timers are allocated separately, because the exclusivity checks of a property would cost
    /// more than moving a timer. No handler is called while they are accessed.
    let schedule: UnsafeMutablePointer<Schedule>
    @exclusivity(unchecked) private var work = WorkQueue()
    @exclusivity(unchecked) private var closing = LoopClosing()
    @exclusivity(unchecked) private(set) var turns = 0

    package init() throws(SystemError) {
        poll = try Poll()
        schedule = .allocate(capacity: 1)
        schedule.initialize(to: Schedule())
    }

    deinit { schedule.deinitialize(count: 1).deallocate() }

    package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Serves until it was stopped or has drained. Call it only once per loop.
    package func run() -> LoopEnding {
        let me = UInt(pthread_self())
        let (isFree, _) = owner.compareExchange(expected: 0, desired: me, ordering: .relaxed)
        precondition(isFree, "another thread runs this loop")
        defer { owner.store(0, ordering: .relaxed) }
        while true {
            turn()
            if let ending = closing.ending(watched: watchers.count, now: now) {
                dropEverything()
                return ending
            }
        }
    }

    /// Ends the loop after this turn. Any thread may call it.
    package func stop() {
        post { self.closing.stop() }
    }

    /// Asks all handlers to finish; after the limit the rest is dropped. Any thread may call it.
    package func drain(within limit: Duration) {
        let deadline = Instant.now + Interval(limit)
        post { self.closing.drain(until: deadline) }
    }

    /// Runs `call` on the thread of the loop, in the order of posting. False if the loop has ended.
    /// Any thread may call it.
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

    /// Traps on any thread but the loop's, once there is one.
    func requireOwnThread() {
        let owner = owner.load(ordering: .relaxed)
        precondition(
            owner == 0 || owner == UInt(pthread_self()), "this is not the thread of the loop")
    }

    private func turn() {
        let count = poll.wait(timeToWait())
        mail.wakeUp()
        schedule.pointee.now = .now
        turns &+= 1
        for index in 0..<count { dispatch(index) }
        fireTimers()
        if closing.isDraining { drainHandlers() }
        runWork()
    }

    /// The milliseconds to wait in `epoll_wait`, rounded up so that no timer fires early.
    private func timeToWait() -> Int32 {
        let isSweeping = closing.isDraining && !watchers.areAllDraining
        guard work.isEmpty, !isSweeping, mail.prepareToSleep() else { return 0 }
        let (timer, deadline) = (schedule.pointee.timers.earliest, closing.deadline)
        guard let end = timer.map({ min($0, deadline ?? $0) }) ?? deadline else { return -1 }
        let rest = end.nanoseconds - Instant.now.nanoseconds
        return rest <= 0 ? 0 : Int32(clamping: (rest + 999_999) / 1_000_000)
    }

    /// Ignores the event of a watch that ended earlier in the same batch.
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

    private func drainHandlers() {
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

    /// Frees the handlers on the thread of the loop; they may still call the loop.
    private func dropEverything() {
        dropHandlers()
        mail.close()
        // Runs what was posted, but not without end: calls may post more.
        for _ in 0..<Self.roundsAtEnd {
            runWork()
            if work.isEmpty { break }
        }
        // What the last calls added and what is left of them is dropped, because it may hold this
        // loop.
        dropHandlers()
        _ = exchange(&work, with: WorkQueue())
    }

    private func dropHandlers() {
        for watch in watchers.watches { unwatch(watch) }
        while schedule.pointee.timers.popDue(Instant(nanoseconds: .max)) != nil {}
    }
}

extension EventLoop {
    /// Watches an open descriptor, which must stay open until `unwatch`.
    package func watch(
        _ descriptor: Int32, for interest: Interest, _ handler: any EventHandler
    ) throws(SystemError) -> WatchID {
        requireOwnThread()
        let watch = watchers.add(descriptor, interest, handler)
        do throws(SystemError) {
            try poll.add(watch, interest.mask)
        } catch {
            _ = watchers.remove(watch)
            throw error
        }
        return watch
    }

    package func watch(
        _ socket: borrowing Socket, for interest: Interest, _ handler: any EventHandler
    ) throws(SystemError) -> WatchID {
        try watch(socket.descriptor, for: interest, handler)
    }

    /// Does nothing if the interest is the same or the watch has ended.
    package func setInterest(_ interest: Interest, of watch: WatchID) {
        requireOwnThread()
        guard let entry = watchers.entry(watch), entry.interest != interest else { return }
        watchers.setInterest(interest, of: watch)
        poll.modify(watch, interest.mask)
    }

    /// Ends a watch; call it before its descriptor is closed. Any handler may call it, even for a
    /// watch that has an event in this turn. Does nothing if the watch has ended.
    package func unwatch(_ watch: WatchID) {
        requireOwnThread()
        guard watchers.entry(watch) != nil else { return }
        poll.remove(watch)
        // This comes last, because it may free the handler and close its descriptor.
        _ = watchers.remove(watch)
    }
}

extension EventLoop {
    /// Calls the handler once, at most a millisecond late while the loop is idle.
    package func schedule(
        after interval: Interval, _ handler: any TimerHandler, cookie: UInt64 = 0
    ) -> TimerID {
        requireOwnThread()
        return schedule.pointee.timers.schedule(
            Alarm(handler: handler, cookie: cookie), at: now + interval)
    }

    /// Restarts the timer from this turn. Making it later costs a single write, so an idle timeout
    /// can be moved at every request. False if it has fired or was cancelled.
    @discardableResult
    package func reschedule(_ timer: TimerID, after interval: Interval) -> Bool {
        requireOwnThread()
        return schedule.pointee.timers.reschedule(timer, at: now + interval)
    }

    /// Does nothing if it has fired or was cancelled.
    package func cancel(_ timer: TimerID) {
        requireOwnThread()
        _ = schedule.pointee.timers.cancel(timer)
    }
}

/// Handles events of a descriptor. All calls come on the thread of the loop.
package protocol EventHandler: AnyObject {
    /// The loop calls this again as long as the descriptor is ready: do a bounded amount of work
    /// and return.
    func ready(_ readiness: Readiness, of watch: WatchID)

    /// The loop wants to end: finish what is under way, begin nothing new, then end the watch. It
    /// is called once for each watch. The loop waits for all watches to end, up to its limit.
    func drain()
}

/// Handles timers. All calls come on the thread of the loop.
package protocol TimerHandler: AnyObject {
    /// `cookie` is the one passed to `schedule`, for handlers with several timers.
    func timerFired(_ cookie: UInt64)
}
