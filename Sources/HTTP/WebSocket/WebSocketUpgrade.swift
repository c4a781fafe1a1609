import Base

/// A client's opening handshake that is in order, seen from the server (RFC 6455 section 4.2).
///
/// Who may connect (Origin, credentials) is the caller's affair.
package struct WebSocketUpgrade: Equatable, Sendable {
    /// The first subprotocol of the client's list that we speak.
    package let subprotocol: String?
    private let key: [UInt8]

    package init(
        _ fields: WebSocketFields, isGET: Bool, isHTTP11: Bool, subprotocols: [String] = []
    ) throws(WebSocketRefusal) {
        guard isGET else { throw .badMethod }
        guard isHTTP11 else { throw .badHTTPVersion }
        guard fields.asksForWebSocket, fields.asksForUpgrade else { throw .noUpgrade }
        guard !fields.isAmbiguous else { throw .repeatedField }
        guard let version = fields.version, version.span.elementsEqual("13") else {
            throw .badVersion
        }
        guard let key = fields.key, WebSocketAccept.isKey(key) else { throw .badKey }
        self.key = key
        subprotocol = fields.protocols.first { subprotocols.contains($0) }
    }

    /// The 101 answer; behind it speaks a `WebSocketSession`.
    package func answer<Failure>(
        sha1: (Span<UInt8>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        let accept = try WebSocketAccept.value(forKey: key, sha1: sha1)
        var text = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(String(decoding: accept, as: UTF8.self))\r

            """
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
