import Base

/// When pictures are asked for: a few at a time, and again later if the server is too busy. Time is passed
/// in.
struct PictureTurns<Request> {
    struct Turn {
        let request: Request
        fileprivate var backoff: Backoff
        /// How often it was asked for.
        fileprivate var count = 0
        fileprivate var due = Duration.zero
    }

    static var atOnce: Int { 2 }
    static var waitingLimit: Int { 64 }
    static var most: Int { 4 }

    /// A server that asks for more is not asked again: the notification is old by then.
    private static var longestPause: Duration { .seconds(300) }
    private static var backoff: Backoff { Backoff(first: .seconds(4), longest: .seconds(60)) }

    private var waiting: [Turn] = []
    private var running = 0

    /// False if too many wait.
    mutating func add(_ request: Request) -> Bool {
        guard waiting.count < Self.waitingLimit else { return false }
        waiting.append(Turn(request: request, backoff: Self.backoff))
        return true
    }

    /// The next that may begin, in the order in which they came; nil for none.
    mutating func next(at now: Duration) -> Turn? {
        guard running < Self.atOnce,
            let index = waiting.firstIndex(where: { $0.due <= now })
        else { return nil }
        running += 1
        return waiting.remove(at: index)
    }

    /// When another may begin, if it does not wait for one to end.
    var nextTime: Duration? { running < Self.atOnce ? waiting.map(\.due).min() : nil }

    /// A turn is over.
    mutating func ended() { running -= 1 }

    /// A turn is over, and the server was too busy. False if it is not asked again.
    mutating func wasRefused(
        _ turn: Turn, for pause: Duration?, at now: Duration, chance: Double
    ) -> Bool {
        running -= 1
        var turn = turn
        turn.count += 1
        guard turn.count < Self.most, pause ?? .zero <= Self.longestPause,
            waiting.count < Self.waitingLimit
        else { return false }
        turn.due = now + turn.backoff.next(chance: chance, atLeast: pause ?? .zero)
        waiting.append(turn)
        return true
    }

    mutating func forgetAll() { waiting = [] }
}
