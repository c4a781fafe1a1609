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
