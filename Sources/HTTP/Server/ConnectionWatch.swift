import Reactor

/// The watch and the timer that a connection has on its loop.
struct ConnectionWatch {
    private(set) var interest = Interest.readable
    private var watch: Watch?
    private var timer: TimerID?
    private var deadline: Duration?

    /// False if the descriptor cannot be watched.
    mutating func begin(
        _ descriptor: Int32, _ handler: any EventHandler, on loop: EventLoop
    ) -> Bool {
        watch = try? loop.watch(descriptor, for: interest, handler)
        return watch != nil
    }

    mutating func setInterest(_ interest: Interest, on loop: EventLoop) {
        guard interest.rawValue != self.interest.rawValue, let watch else { return }
        self.interest = interest
        loop.setInterest(interest, of: watch)
    }

    mutating func end(on loop: EventLoop) {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    /// One timer serves whichever deadline is next.
    mutating func setTimer(
        _ deadline: Duration?, _ handler: any TimerHandler, _ service: HTTPService
    ) {
        guard let deadline, deadline != self.deadline else { return }
        self.deadline = deadline
        let interval = Interval(deadline - service.now)
        if let timer, service.loop.reschedule(timer, after: interval) { return }
        timer = service.loop.schedule(after: interval, handler)
    }

    mutating func timerFired() { (timer, deadline) = (nil, nil) }

    mutating func cancelTimer(on loop: EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
