extension EventLoop {
    /// Watches an open descriptor, which must stay open until `unwatch`.
    package func watch(
        _ descriptor: Int32, for interest: Interest, _ handler: any EventHandler
    ) throws(ReactorError) -> Watch {
        requireOwnThread()
        let watch = watchers.add(descriptor, interest, handler)
        do throws(ReactorError) {
            try poll.add(watch, interest.mask)
        } catch {
            _ = watchers.remove(watch)
            throw error
        }
        return watch
    }

    package func watch(
        _ socket: borrowing Socket, for interest: Interest, _ handler: any EventHandler
    ) throws(ReactorError) -> Watch {
        try watch(socket.descriptor, for: interest, handler)
    }

    /// Does nothing if the interest is the same or the watch has ended.
    package func setInterest(_ interest: Interest, of watch: Watch) {
        requireOwnThread()
        guard let entry = watchers.entry(watch), entry.interest != interest else { return }
        watchers.setInterest(interest, of: watch)
        poll.modify(watch, interest.mask)
    }

    /// Ends a watch; call it before its descriptor is closed. Any handler may call it, even for a
    /// watch that has an event in this turn. Does nothing if the watch has ended.
    package func unwatch(_ watch: Watch) {
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
    /// It is called again as long as the condition holds: do a bounded amount of work and return.
    func ready(_ readiness: Readiness, of watch: Watch)

    /// The loop wants to end: finish what is under way, begin nothing new, then end the watch. It
    /// is called once for each watch. The loop waits for all watches to end, up to its limit.
    func drain()
}

/// Handles timers. All calls come on the thread of the loop.
package protocol TimerHandler: AnyObject {
    /// `cookie` is the one passed to `schedule`, for handlers with several timers.
    func timerFired(_ cookie: UInt64)
}
