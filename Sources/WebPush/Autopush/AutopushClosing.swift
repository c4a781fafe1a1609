/// Why the push service ends a WebSocket: the code and the word of the close frame.
package enum AutopushClosing: Error, Equatable, Sendable {
    /// No JSON, no known message, or a member that is missing or of the wrong type.
    case badMessage
    /// A message where it must not come, too many of them, or a newer connection.
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
