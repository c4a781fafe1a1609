/// What the decoder found.
package enum WebSocketEvent: Equatable, Sendable {
    case text(WebSocketPayload)
    case binary(WebSocketPayload)
    case ping(WebSocketPayload)
    case pong(WebSocketPayload)
    case close(WebSocketClose)
}
