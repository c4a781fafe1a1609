/// A request and its answer on one stream.
struct HTTP2Exchange: Sendable {
    let isHead: Bool
    /// What the body may still hold.
    var bodyLeft: Int
    /// Nothing further of the request is told: it was refused or is answered.
    var dropsBody = false
    var isRequestWhole = false
    var isAnswered = false

    /// The body of the answer, and how much of it nghttp2 has.
    var answer: [UInt8] = []
    var sentBytes = 0
}
