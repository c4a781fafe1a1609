import Base

/// The opening handshake of a client (RFC 6455 section 4.1): its request, and the check of the
/// answer.
package struct WebSocketOpening: Sendable {
    private let subprotocols: [String]
    private let key: [UInt8]
    private let accept: [UInt8]

    package static let keyLength = 16

    /// `key` is 16 new random bytes.
    package init<Failure>(
        key: Span<UInt8>, subprotocols: [String] = [],
        sha1: (Span<UInt8>) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        precondition(key.count == Self.keyLength)
        let key = Base64.encode(key)
        accept = try WebSocketAccept.value(forKey: key, sha1: sha1)
        self.key = key
        self.subprotocols = subprotocols
    }

    /// `host` is for the Host field, `target` in origin form; other fields, such as
    /// `Authorization`, must have no control characters.
    package func request(
        host: String, target: String, fields: [(name: String, value: String)] = []
    ) -> [UInt8] {
        var lines = [
            "GET \(target) HTTP/1.1",
            "Host: \(host)",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: \(String(decoding: key, as: UTF8.self))",
        ]
        if !subprotocols.isEmpty {
            lines.append("Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))")
        }
        lines += fields.map { "\($0.name): \($0.value)" }
        let head = lines.joined(separator: "\r\n")
        precondition(
            head.utf8.count { $0 == 0x0A } == lines.count - 1 && !head.utf8.contains(0),
            "the field contains a line break")
        return Array((head + "\r\n\r\n").utf8)
    }

    /// Checks the head of the answer and returns the subprotocol that the server chose, if any.
    package func subprotocol(
        answered fields: WebSocketFields, status: Int
    ) throws(WebSocketRefusal) -> String? {
        guard status == 101 else { throw .badStatus(status) }
        guard fields.asksForWebSocket, fields.asksForUpgrade else { throw .noUpgrade }
        guard !fields.isAmbiguous else { throw .repeatedField }
        guard fields.accept == accept else { throw .badAccept }
        guard !fields.namesExtension else { throw .unexpectedExtension }
        guard fields.protocols.count <= 1 else { throw .unexpectedProtocol }
        guard let chosen = fields.protocols.first else { return nil }
        guard subprotocols.contains(chosen) else { throw .unexpectedProtocol }
        return chosen
    }
}
