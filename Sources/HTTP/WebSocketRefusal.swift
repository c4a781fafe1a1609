/// Why an opening handshake fails.
package enum WebSocketRefusal: Error, Equatable, Sendable {
    case badMethod
    case badHTTPVersion
    case noUpgrade
    case repeatedField
    case badVersion
    case badKey
    // What only a client says, about the server's answer:
    case badStatus(Int)
    case badAccept
    case unexpectedExtension
    case unexpectedProtocol

    /// The answer of a server; with 426 goes `Sec-WebSocket-Version: 13` (RFC 6455 section 4.2.2).
    package var status: Int {
        switch self {
        case .badMethod: 405
        case .badVersion: 426
        case .badHTTPVersion, .noUpgrade, .repeatedField, .badKey, .badStatus, .badAccept,
            .unexpectedExtension, .unexpectedProtocol:
            400
        }
    }
}
