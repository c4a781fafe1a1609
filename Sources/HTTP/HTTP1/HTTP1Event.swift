/// What the next bytes of a connection mean.
package enum HTTP1Event: Equatable, Sendable {
    /// All of the input is used up.
    case needsMore
    /// The parser's `head` is whole. The caller may now set the limit for the body.
    case head
    /// The sender waits for "100 Continue", and nothing speaks against its body so far.
    case continueExpected
    /// A piece of the body, as a range of the input.
    case body(Range<Int>)
    /// The request is over; what follows is the next one.
    case end
    /// HTTP/2 without negotiation: the first 16 bytes of its preface were read
    /// (RFC 9113 section 3.4), the rest of the input is untouched.
    case http2Preface
    /// The connection cannot be read any further.
    case refused(HTTPRefusal)
}
