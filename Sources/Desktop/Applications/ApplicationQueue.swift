import Base

/// What waits for one application, and the pause after calls that failed.
///
/// Everything that goes to an application waits in such a queue: endpoints, messages and fetch
/// signals in that of the distributor, the user's actions in that of `OwedActions`.
struct ApplicationQueue<Item: Sendable>: Sendable {
    /// The oldest is the first.
    var items: [Item] = []
    var pause = CallPause()

    /// Takes the first item that is ready, unless there is a pause.
    mutating func next(
        at now: Duration, where isReady: (Item) -> Bool = { _ in true }
    ) -> Item? {
        guard pause.isOver(at: now), let index = items.firstIndex(where: isReady) else {
            return nil
        }
        return items.remove(at: index)
    }

    /// Its call did not succeed, so it is the next one again.
    mutating func putBack(_ item: Item) { items.insert(item, at: 0) }
}

/// The time before the next call of an application: longer after each call that fails.
struct CallPause: Equatable, Sendable {
    /// Nil for no pause.
    private(set) var end: Duration?
    private var backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    func isOver(at now: Duration) -> Bool { end.map { $0 <= now } ?? true }

    mutating func begin(at now: Duration) { end = now + backoff.next() }

    /// There is a reason for another attempt, so that it begins after the shortest pause.
    mutating func shorten(at now: Duration) { end = end.map { min($0, now + backoff.first) } }

    /// Ends the pause. The next one is no shorter for that.
    mutating func cut() { end = nil }

    /// The next pause is the shortest again.
    mutating func forgive() { backoff.reset() }

    /// Ends the pause, and the next one is the shortest again.
    mutating func reset() { self = CallPause() }

    /// A pause that is over must not wake the loop again.
    mutating func clear(at now: Duration) { if isOver(at: now) { end = nil } }
}
