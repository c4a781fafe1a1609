/// What a session hands to its application.
package enum WebSocketDelivery: Equatable, Sendable {
    case text(WebSocketPayload)
    case binary(WebSocketPayload)
    /// Nothing follows. A server writes what is left of its output and ends the connection; a client
    /// waits for the server to do so, until the session's deadline.
    case end(WebSocketEnd)
}
