/// What an application does with a WebSocket. All calls come on the loop of the connection, which
/// holds its handler until it has said `closed`.
package protocol WebSocketHandler: AnyObject {
    /// The opening handshake is done; what is sent here leaves together with it.
    func opened(_ connection: WebSocketConnection, subprotocol: String?)

    /// A whole message, UTF-8. The bytes are lent until the call ends.
    func received(text: Span<UInt8>, on connection: WebSocketConnection)

    func received(binary: Span<UInt8>, on connection: WebSocketConnection)

    /// The connection was congested, and all that waited has been sent.
    func drained(_ connection: WebSocketConnection)

    /// Once, and the last call. Nothing can be sent any more.
    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection)
}

extension WebSocketHandler {
    package func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        connection.close(.unacceptable)
    }

    package func drained(_ connection: WebSocketConnection) {}
}
