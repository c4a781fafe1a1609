/// How a loop came to its end.
package enum Ending: Equatable, Sendable {
    /// `stop` was called: what was watched was let go at once.
    case stopped
    /// Everything that was watched came to its own end.
    case drained
    /// The time to drain was over; so many watches were left and let go.
    case cut(Int)
}
