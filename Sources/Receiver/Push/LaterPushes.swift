import Reactor

/// What is put off to the next turns of a loop, a few at a time and in order.
final class LaterPushes: TimerHandler {
    private static let perTurn = 8

    private let loop: EventLoop
    private var waiting: [() -> Void] = []
    /// Those before it were taken up.
    private var position = 0

    init(on loop: EventLoop) { self.loop = loop }

    func add(_ push: @escaping () -> Void) {
        if waiting.isEmpty { callAgain() }
        waiting.append(push)
    }

    func timerFired(_ cookie: UInt64) {
        let end = min(position + Self.perTurn, waiting.count)
        while position < end {
            let push = waiting[position]
            waiting[position] = {}
            position += 1
            push()
        }
        guard position == waiting.count else { return callAgain() }
        waiting.removeAll(keepingCapacity: position < 1_024)
        position = 0
    }

    /// Later than now, and so in another turn.
    private func callAgain() {
        _ = loop.schedule(after: Interval(.nanoseconds(1)), self, cookie: 0)
    }
}
