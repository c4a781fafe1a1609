import Reactor

/// Limits costly work in one turn of a loop, so that its other connections need not wait.
struct TurnShare {
    private let limit: Int
    private var turn: Instant?
    private var count = 0

    init(_ limit: Int) { self.limit = limit }

    mutating func isSpent(in turn: Instant) -> Bool {
        begin(turn)
        return count >= limit
    }

    mutating func spend(in turn: Instant) {
        begin(turn)
        count += 1
    }

    private mutating func begin(_ turn: Instant) {
        if self.turn != turn { (self.turn, count) = (turn, 0) }
    }
}
