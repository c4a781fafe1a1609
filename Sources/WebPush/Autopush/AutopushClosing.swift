/// Why the push service closes a WebSocket: code and reason of the close frame.
package enum AutopushClosing: Error, Equatable, Sendable {
    /// The message is not JSON, is unknown, or has a member that is missing or of the wrong type.
    case badMessage
    /// A message at the wrong time, too many messages, or a newer connection.
    case badState
    case helloTimeout
    case binary

    package var code: UInt16 { self == .binary ? 1003 : 1011 }

    package var reason: StaticString {
        switch self {
        case .badMessage: "Json"
        case .badState: "SM"
        case .helloTimeout: "HandshakeTimeout"
        case .binary: "UnsupportedMessage"
        }
    }
}
