/// Decides when a loop ends. It is a pure value: the time and the number of watches are passed in.
struct Closing {
    private var isStopped = false
    /// When draining ends; nil if the loop is not draining.
    private(set) var deadline: Instant?

    var isDraining: Bool { deadline != nil }

    mutating func stop() { isStopped = true }

    /// A second call can only make the deadline earlier.
    mutating func drain(until instant: Instant) {
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    func ending(watched: Int, now: Instant) -> Ending? {
        if isStopped { return .stopped }
        guard let deadline else { return nil }
        if watched == 0 { return .drained }
        return now >= deadline ? .cut(watched) : nil
    }
}

/// How a loop ended.
package enum Ending: Equatable, Sendable {
    /// `stop` ended it, and dropped all watches at once.
    case stopped
    /// All watches ended by themselves.
    case drained
    /// The time to drain was over; this many watches were dropped.
    case cut(Int)
}
