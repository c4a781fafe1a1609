/// Why an HTTP/2 connection cannot continue.
package enum HTTP2Failure: Error, Equatable, Sendable {
    /// The first bytes were not HTTP/2 (RFC 9113 section 3.4). The peer gets no answer.
    case badPreface
    /// A forbidden frame, or a header block that cannot be decoded.
    case protocolError(HTTP2ErrorCode)
    case flood(HTTP2Flood)
    /// The server waited too long.
    case timeout
    /// Memory ran out.
    case fault

    /// The code sent to the peer.
    package var code: HTTP2ErrorCode {
        switch self {
        case .badPreface: .protocolError
        case .protocolError(let code): code
        case .flood, .timeout: .enhanceYourCalm
        case .fault: .internalError
        }
    }
}
