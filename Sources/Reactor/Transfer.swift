/// What one read or write came to.
package enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// Nothing now; the loop tells when to go on.
    case wouldBlock
    /// Reading: the peer sends no more, and may still read. Writing: the peer takes no more.
    case closed
    case failed(ReactorError)
}
