import Reactor

/// Pushes that are put off to the next turns of a loop, a few at a time and in order.
final class LaterPushes: TimerHandler {
    private let perTurn: Int
    private let loop: EventLoop
    /// In reverse order: the next push is the last element.
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

    /// A nanosecond from now is in another turn.
    private func callAgain() {
        hasTurn = true
        _ = loop.schedule(after: Interval(.nanoseconds(1)), self, cookie: 0)
    }
}
