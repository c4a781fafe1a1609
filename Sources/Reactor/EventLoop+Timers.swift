extension EventLoop {
    /// Calls the handler once, a millisecond late at most when the loop is idle.
    package func schedule(
        after interval: Interval, _ handler: any TimerHandler, cookie: UInt64 = 0
    ) -> TimerID {
        requireOwnThread()
        return schedule.pointee.timers.schedule(
            Alarm(handler: handler, cookie: cookie), at: now + interval)
    }

    /// Counts anew from this turn. A mere write when that is later than before, which is why an
    /// idle timeout may be put off at every request. False if it fired or was cancelled.
    @discardableResult
    package func reschedule(_ timer: TimerID, after interval: Interval) -> Bool {
        requireOwnThread()
        return schedule.pointee.timers.reschedule(timer, at: now + interval)
    }

    /// Nothing happens if it fired or was cancelled.
    package func cancel(_ timer: TimerID) {
        requireOwnThread()
        _ = schedule.pointee.timers.cancel(timer)
    }
}
