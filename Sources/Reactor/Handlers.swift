/// Is told when a descriptor is ready. All calls come on the thread of the loop.
package protocol EventHandler: AnyObject {
    /// Reported again as long as it holds: do a bounded amount of work and return.
    func ready(_ readiness: Readiness, of watch: Watch)

    /// The loop wants to end: finish what is under way, take on nothing new, then end the watch.
    /// Called once for each watch. The loop waits until all watches have ended, or its time is over.
    func drain()
}

/// Is told when a timer is due. All calls come on the thread of the loop.
package protocol TimerHandler: AnyObject {
    /// The cookie is the one given to `schedule`, for handlers with several timers.
    func timerFired(_ cookie: UInt64)
}
