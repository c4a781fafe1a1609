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
}
