/// The number of a stream; clients open odd ones.
package typealias HTTP2StreamID = Int32

/// What the next bytes of an HTTP/2 connection mean, or what became of a stream.
package enum HTTP2Event: Equatable, Sendable {
    /// All of the input is used up.
    case needsMore
    /// The session's `head` is whole, and is the one of this stream until `next` is called again.
    /// The caller may now set the limit for the body.
    case head(HTTP2StreamID)
    /// The sender waits for status 100, and nothing speaks against its body so far.
    case continueExpected(HTTP2StreamID)
    /// A piece of a body, as a range of the input. The caller says by `consumed` when its memory is
    /// free again.
    case body(HTTP2StreamID, Range<Int>)
    /// The request is over.
    case end(HTTP2StreamID)
    /// The request is not served, and nothing more of it is told. It is still to be answered.
    case refused(HTTP2StreamID, HTTPRefusal)
    /// The answer was written to its end before the request was whole. There are senders that look
    /// at an answer only when they have sent all, so the stream is not reset at once.
    case lingering(HTTP2StreamID)
    /// The exchange was written and read to its end, or one side gave the stream up: work for it may stop.
    case closed(HTTP2StreamID, HTTP2ErrorCode)
    /// The connection cannot be read any further, and all its streams are over. What is left to
    /// write says so to the peer.
    case failed(HTTP2Failure)
}
