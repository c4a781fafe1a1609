/// Which streams a peer may still open: their numbers only rise (RFC 9113 section 5.1.1).
///
/// A stream that was reset may still get trailers that were on their way. A stream whose number was
/// skipped was never opened and gets none.
struct HTTP2StreamOrder: Sendable {
    /// Few clients skip numbers. Beyond this the oldest gaps are forgotten, and their streams
    /// ignored.
    private static let gapLimit = 8

    private var last: HTTP2StreamID = -1
    /// The skipped numbers between opened streams.
    private var gaps: [ClosedRange<HTTP2StreamID>] = []

    /// Whether a header block may begin on `stream`.
    mutating func allows(_ stream: HTTP2StreamID) -> Bool {
        guard stream > last else { return !gaps.contains { $0.contains(stream) } }
        // Zero and even numbers are always wrong; nghttp2 checks that.
        guard stream % 2 == 1 else { return true }
        if stream > last + 2 {
            if gaps.count == Self.gapLimit { gaps.removeFirst() }
            gaps.append(last + 1...stream - 1)
        }
        last = stream
        return true
    }
}
