/// Handles a WebSocket. All calls come on the loop of the connection, which keeps the handler alive
/// until `closed`.
package protocol WebSocketHandler: AnyObject {
    /// The opening handshake is done. Messages sent here leave together with its answer.
    func opened(_ connection: WebSocketConnection, subprotocol: String?)

    /// A complete message, valid UTF-8. The bytes are valid during the call.
    func received(text: Span<UInt8>, on connection: WebSocketConnection)

    func received(binary: Span<UInt8>, on connection: WebSocketConnection)

    /// The connection was congested, and all waiting output has been sent.
    func drained(_ connection: WebSocketConnection)

    /// The last call; it comes once. Nothing can be sent any more.
    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection)
}

extension WebSocketHandler {
    package func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        connection.close(.unacceptable)
    }

    package func drained(_ connection: WebSocketConnection) {}
}
