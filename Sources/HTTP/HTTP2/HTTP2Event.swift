/// The number of a stream. Clients open odd ones.
package typealias HTTP2StreamID = Int32

/// The meaning of the next bytes of an HTTP/2 connection, or a change of a stream.
package enum HTTP2Event: Equatable, Sendable {
    /// All input is used up.
    case needsMore
    /// The session's `head` is complete and belongs to this stream until `next` is called again.
    /// The caller may now set the limit for the body.
    case head(HTTP2StreamID)
    /// The sender waits for status 100, and so far its body can be accepted.
    case continueExpected(HTTP2StreamID)
    /// A piece of a body, as a range of the input. The caller calls `consumed` when it has dealt
    /// with it.
    case body(HTTP2StreamID, Range<Int>)
    /// The request has ended.
    case end(HTTP2StreamID)
    /// The request is refused and brings no further events. It still needs an answer.
    case refused(HTTP2StreamID, HTTPRefusal)
    /// The answer was written completely before the request ended. Some senders read an answer only
    /// after they have sent everything, so the stream is not reset at once.
    case lingering(HTTP2StreamID)
    /// The exchange is complete, or one side gave the stream up. Work for it may stop.
    case closed(HTTP2StreamID, HTTP2ErrorCode)
    /// Nothing more can be read from the connection, and all its streams have ended. The remaining
    /// output tells the peer why.
    case failed(HTTP2Failure)
}
