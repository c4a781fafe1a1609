package enum HTTPVersion: UInt8, Sendable {
    case http10
    /// Also 1.2 and up: their senders must understand 1.1 (RFC 9110 section 2.5).
    case http11
    case http2
}
