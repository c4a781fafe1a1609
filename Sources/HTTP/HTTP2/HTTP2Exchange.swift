/// A request and its answer on one stream.
struct HTTP2Exchange: Sendable {
    let stream: HTTP2StreamID
    let isHead: Bool
    /// What the body may still hold.
    var bodyLeft: Int
    /// What is still to come of the body by its Content-Length; below zero when more has come.
    var announcedLeft: Int?
    /// Nothing further of the request is told: it was refused or is answered.
    var dropsBody = false
    var isRequestWhole = false
    var isAnswered = false

    /// The body of the answer, and how much of it nghttp2 has.
    var answer: [UInt8] = []
    var sentBytes = 0
}

/// The exchanges of a connection, in the order of their streams: the numbers of those only rise.
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
