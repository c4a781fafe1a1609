/// The result of one read or write.
package enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// Nothing now; the loop reports when to try again.
    case wouldBlock
    /// Reading: the peer sends no more, but may still read. Writing: the peer accepts no more.
    case closed
    case failed(ReactorError)
}
