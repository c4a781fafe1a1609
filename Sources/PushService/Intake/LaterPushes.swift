import Reactor

/// What is put off to the next turns of a loop, a few at a time and in order.
final class LaterPushes: TimerHandler {
    private let perTurn: Int
    private let loop: EventLoop
    /// The next one is the last.
    private var next: [() -> Void] = []
    /// Those behind them, in their order.
    private var behind: [() -> Void] = []
    /// Of a turn that comes, or is.
    private var hasTurn = false

    init(on loop: EventLoop, perTurn: Int) {
        self.loop = loop
        self.perTurn = perTurn
    }

    var isEmpty: Bool { next.isEmpty && behind.isEmpty }

    /// How many there is room for.
    var capacity: Int { next.capacity + behind.capacity }

    func add(_ push: @escaping () -> Void) {
        behind.append(push)
        if !hasTurn { callAgain() }
    }

    func timerFired(_ cookie: UInt64) {
        // Those that come meanwhile wait for another turn.
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
        // A crowd leaves no more room behind than it needed.
        if behind.capacity > 1_024 { behind = [] }
    }

    /// Later than now, and so in another turn.
    private func callAgain() {
        hasTurn = true
        _ = loop.schedule(after: Interval(.nanoseconds(1)), self, cookie: 0)
    }
}
