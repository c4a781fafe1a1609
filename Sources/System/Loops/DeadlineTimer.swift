/// One timer of a loop, for whichever deadline is next.
///
/// A value says when it wants to be called, and its holder sets the timer after each event.
package struct DeadlineTimer {
    private var timer: TimerID?

    package init() {}

    /// The timer fires once after the pause; with nil it does not fire.
    package mutating func set(
        after pause: Duration?, on loop: EventLoop, _ handler: any TimerHandler, cookie: UInt64 = 0
    ) {
        guard let pause else { return cancel(on: loop) }
        if let timer, loop.reschedule(timer, after: Interval(pause)) { return }
        timer = loop.schedule(after: Interval(pause), handler, cookie: cookie)
    }

    package mutating func cancel(on loop: EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
