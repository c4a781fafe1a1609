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
