/// Handles events of a descriptor. All calls come on the thread of the loop.
package protocol EventHandler: AnyObject {
    /// Called again as long as the condition holds: do a bounded amount of work and return.
    func ready(_ readiness: Readiness, of watch: Watch)

    /// The loop wants to end: finish what is under way, begin nothing new, then end the watch.
    /// Called once for each watch. The loop waits for all watches to end, up to its limit.
    func drain()
}

/// Handles timers. All calls come on the thread of the loop.
package protocol TimerHandler: AnyObject {
    /// `cookie` is the one passed to `schedule`, for handlers with several timers.
    func timerFired(_ cookie: UInt64)
}
