/// Which streams a peer may still open: their numbers only rise (RFC 9113 section 5.1.1).
///
/// A stream that was open once may still get the trailers that were on their way when it was reset;
/// one that was passed over never had any.
struct HTTP2StreamOrder: Sendable {
    /// Few clients pass any over. What was forgotten of those who do often is ignored when it comes.
    private static let gapLimit = 8

    private var last: HTTP2StreamID = -1
    /// Between two streams that were opened one after the other.
    private var gaps: [ClosedRange<HTTP2StreamID>] = []

    /// Whether a header block may begin on `stream`.
    mutating func allows(_ stream: HTTP2StreamID) -> Bool {
        guard stream > last else { return !gaps.contains { $0.contains(stream) } }
        // What has an even number, or none, is wrong in any case, and judged elsewhere.
        guard stream % 2 == 1 else { return true }
        if stream > last + 2 {
            if gaps.count == Self.gapLimit { gaps.removeFirst() }
            gaps.append(last + 1...stream - 1)
        }
        last = stream
        return true
    }
}
