/// The meaning of the next bytes of a connection.
package enum HTTP1Event: Equatable, Sendable {
    /// All input is used up.
    case needsMore
    /// The parser's `head` is complete. The caller may now set the limit for the body.
    case head
    /// The sender waits for "100 Continue", and so far its body can be accepted.
    case continueExpected
    /// A piece of the body, as a range of the input.
    case body(Range<Int>)
    /// The request has ended; the next one follows.
    case end
    /// HTTP/2 without negotiation: the first 16 bytes of its preface were read (RFC 9113 section
    /// 3.4), the rest of the input is unread.
    case http2Preface
    /// Nothing more can be read from the connection.
    case refused(HTTPRefusal)
}
