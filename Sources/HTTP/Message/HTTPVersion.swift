/// The version a request was sent in.
package enum HTTPVersion: UInt8, Sendable {
    case http10
    /// Also what calls itself 1.2 and up: its sender must cope with 1.1 (RFC 9110 section 2.5).
    case http11
    case http2
}
