/// How a loop ended.
package enum Ending: Equatable, Sendable {
    /// By `stop`, which drops all watches at once.
    case stopped
    /// All watches ended by themselves.
    case drained
    /// The time to drain was over; this many watches were dropped.
    case cut(Int)
}
