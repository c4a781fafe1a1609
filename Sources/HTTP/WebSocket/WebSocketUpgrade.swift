import Base

/// A valid opening handshake of a client, on the server's side (RFC 6455 section 4.2).
///
/// The caller decides who may connect (Origin, credentials).
package struct WebSocketUpgrade: Equatable, Sendable {
    /// The first subprotocol of the client's list that we support.
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

    /// The 101 answer. After it a `WebSocketSession` takes over.
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

/// Proves that a server has read the client's key (RFC 6455 section 4.2.2).
enum WebSocketAccept {
    private static let identifier: StaticString = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// `sha1` is passed in because this module has no cryptography.
    static func value<Failure>(
        forKey key: [UInt8], sha1: (Span<UInt8>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        let text = key + identifier.withUTF8Buffer { Array($0) }
        let digest = try sha1(text.span)
        return Base64.encode(digest.span)
    }

    /// 22 digits and two padding marks: 16 bytes in base64.
    static func isKey(_ text: [UInt8]) -> Bool {
        text.count == 24 && text[22] == UInt8(ascii: "=") && text[23] == UInt8(ascii: "=")
            && text[..<22].allSatisfy(isBase64Digit)
    }

    private static func isBase64Digit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// Why an opening handshake fails.
package enum WebSocketRefusal: Error, Equatable, Sendable {
    case badMethod
    case badHTTPVersion
    case noUpgrade
    case repeatedField
    case badVersion
    case badKey
    // The cases from here on concern the server's answer.
    case badStatus(Int)
    case badAccept
    case unexpectedExtension
    case unexpectedProtocol
}
