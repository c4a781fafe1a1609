/// A request and its answer on one stream.
struct HTTP2Exchange: Sendable {
    let stream: HTTP2StreamID
    let isHead: Bool
    /// How many bytes of body are still allowed.
    var bodyLeft: Int
    /// How much of the body is still to come, according to its Content-Length; negative if too much
    /// came.
    var announcedLeft: Int?
    /// Further events of the request are dropped: it was refused or answered.
    var dropsBody = false
    var isRequestWhole = false
    var isAnswered = false

    /// The body of the answer, and how much of it nghttp2 has taken.
    var answer: [UInt8] = []
    var sentBytes = 0
}

/// The exchanges of a connection, sorted by stream: stream numbers only rise.
extension [HTTP2Exchange] {
    func index(of stream: HTTP2StreamID) -> Int? {
        var (start, end) = (0, count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle].stream < stream { start = middle + 1 } else { end = middle }
        }
        return start < count && self[start].stream == stream ? start : nil
    }
}
