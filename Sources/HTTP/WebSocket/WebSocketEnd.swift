/// How a WebSocket ended.
package enum WebSocketEnd: Equatable, Sendable {
    /// The peer closed, first or in answer to our close frame.
    case closed(WebSocketClose)
    case failed(WebSocketFailure)
    /// No sign of life after a ping.
    case silent
    /// The peer did not finish the closing handshake in time.
    case unanswered
    /// The peer did not read, and too much waited for it.
    case congested
    /// The connection broke, or ended without a closing handshake.
    case lost
}
