/// What the WebSockets of one kind have in common.
package final class WebSocketTerms: Sendable {
    /// The digest that the opening handshake asks for; nil when the machine cannot make it.
    package typealias Digest = @Sendable (Span<UInt8>) -> [UInt8]?

    let subprotocols: [String]
    let session: WebSocketSession.Limits
    let pressure: WebSocketBackPressure
    let sha1: Digest

    /// With more than `congestion` bytes unsent a connection is congested; with more than
    /// `outputLimit` its peer has not read for too long, and is cut off.
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
