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

/// What all WebSockets of one kind share.
package final class WebSocketTerms: Sendable {
    /// The digest for the opening handshake; nil if it cannot be computed.
    package typealias Digest = @Sendable (Span<UInt8>) -> [UInt8]?

    let subprotocols: [String]
    let session: WebSocketSession.Limits
    let pressure: WebSocketBackPressure
    let sha1: Digest

    /// A connection with more than `congestion` unsent bytes is congested; one with more than
    /// `outputLimit` is cut, because its peer has not read for too long.
    package init(
        subprotocols: [String] = [], session: WebSocketSession.Limits,
        congestion: Int = 64 * 1024, outputLimit: Int = 1024 * 1024, sha1: @escaping Digest
    ) {
        self.subprotocols = subprotocols
        self.session = session
        self.sha1 = sha1
        pressure = WebSocketBackPressure(low: 0, high: congestion, limit: outputLimit)
    }
}
