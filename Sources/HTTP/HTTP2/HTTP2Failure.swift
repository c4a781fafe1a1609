/// Why an HTTP/2 connection cannot go on.
package enum HTTP2Failure: Error, Equatable, Sendable {
    /// What came first was not HTTP/2 (RFC 9113 section 3.4). The peer is told nothing.
    case badPreface
    /// A frame that the protocol does not allow, or a header block that cannot be decoded.
    case protocolError(HTTP2ErrorCode)
    case flood(HTTP2Flood)
    /// The patience of the server ended.
    case timeout
    /// Memory ran out.
    case fault

    /// What the peer is told.
    package var code: HTTP2ErrorCode {
        switch self {
        case .badPreface: .protocolError
        case .protocolError(let code): code
        case .flood, .timeout: .enhanceYourCalm
        case .fault: .internalError
        }
    }
}
