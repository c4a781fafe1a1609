import Reactor

/// How much of something costly one turn of a loop does, so that its other connections are not kept
/// waiting.
struct TurnShare {
    private let limit: Int
    private var turn: Instant?
    private var count = 0

    init(_ limit: Int) { self.limit = limit }

    mutating func isSpent(in turn: Instant) -> Bool {
        if self.turn != turn { (self.turn, count) = (turn, 0) }
        return count >= limit
    }

    mutating func note() { count += 1 }
}
