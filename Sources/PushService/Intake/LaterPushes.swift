import Reactor

/// Pushes that are put off to the next turns of a loop, a few at a time and in order.
final class LaterPushes: TimerHandler {
    private let perTurn: Int
    private let loop: EventLoop
    /// The next pushes in reverse order: the first of them is the last element.
    private var next: [() -> Void] = []
    /// The pushes after those, in order.
    private var behind: [() -> Void] = []
    /// Whether a turn is scheduled or running.
    private var hasTurn = false

    init(on loop: EventLoop, perTurn: Int) {
        self.loop = loop
        self.perTurn = perTurn
    }

    var isEmpty: Bool { next.isEmpty && behind.isEmpty }

    var capacity: Int { next.capacity + behind.capacity }

    func add(_ push: @escaping () -> Void) {
        behind.append(push)
        if !hasTurn { callAgain() }
    }

    func timerFired(_ cookie: UInt64) {
        // Pushes added during this turn wait for another one.
        for _ in 0..<min(perTurn, next.count + behind.count) {
            if next.isEmpty { turnOver() }
            next.popLast()?()
        }
        hasTurn = false
        if !isEmpty { callAgain() }
    }

    private func turnOver() {
        swap(&next, &behind)
        next.reverse()
        // Frees the memory of a burst.
        if behind.capacity > 1_024 { behind = [] }
    }

    /// Sets a timer for the next nanosecond, which fires in another turn of the loop.
    private func callAgain() {
        hasTurn = true
        _ = loop.schedule(after: Interval(.nanoseconds(1)), self, cookie: 0)
    }
}
