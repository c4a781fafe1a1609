import Base

/// The WebSocket fields of an upgrade request or its answer, collected in any order (RFC 6455
/// sections 4.1 and 4.2.1).
package struct WebSocketFields: Sendable {
    /// `Upgrade` names websocket.
    package private(set) var asksForWebSocket = false
    /// `Connection` names upgrade.
    private(set) var asksForUpgrade = false
    private(set) var key: [UInt8]?
    private(set) var version: [UInt8]?
    private(set) var accept: [UInt8]?
    private(set) var protocols: [String] = []
    private(set) var namesExtension = false
    /// A field that may come only once came twice.
    private(set) var isAmbiguous = false

    /// No real client offers more; the limit keeps searching cheap.
    private static let protocolLimit = 16

    package init() {}

    /// Adds a field; `value` has no surrounding blanks.
    package mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
        if name.equalsIgnoringCase("upgrade") {
            Self.forEachElement(of: value) { element in
                asksForWebSocket = asksForWebSocket || element.equalsIgnoringCase("websocket")
            }
        } else if name.equalsIgnoringCase("connection") {
            Self.forEachElement(of: value) { element in
                asksForUpgrade = asksForUpgrade || element.equalsIgnoringCase("upgrade")
            }
        } else if name.equalsIgnoringCase("sec-websocket-key") {
            isAmbiguous = Self.isRepeat(of: &key, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-version") {
            isAmbiguous = Self.isRepeat(of: &version, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-accept") {
            isAmbiguous = Self.isRepeat(of: &accept, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-protocol") {
            Self.forEachElement(of: value) { element in
                guard protocols.count < Self.protocolLimit else { return }
                protocols.append(
                    element.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            }
        } else if name.equalsIgnoringCase("sec-websocket-extensions") {
            Self.forEachElement(of: value) { _ in namesExtension = true }
        }
    }

    /// Sets the field and returns whether it was set before.
    private static func isRepeat(of field: inout [UInt8]?, _ value: Span<UInt8>) -> Bool {
        defer { field = value.array(0..<value.count) }
        return field != nil
    }

    /// Calls `body` with each non-empty element of a comma-separated list (RFC 9110 5.6.1).
    private static func forEachElement(of list: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var position = 0
        while let element = list.nextListElement(from: &position) {
            if !element.isEmpty { body(list.extracting(element)) }
        }
    }
}

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

    /// The 101 answer, with more lines of fields. After it a `WebSocketSession` takes over.
    package func answer(with further: [UInt8] = []) -> [UInt8] {
        let accept = WebSocketAccept.value(forKey: key)
        var text = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(String(decoding: accept, as: UTF8.self))\r

            """
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array(text.utf8) + further + "\r\n".utf8
    }
}

/// Proves that a server has read the client's key (RFC 6455 section 4.2.2).
enum WebSocketAccept {
    private static let identifier: StaticString = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    static func value(forKey key: [UInt8]) -> [UInt8] {
        let text = key + identifier.withUTF8Buffer { Array($0) }
        return Base64.encode(SHA1.digest(of: text.span).span)
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

/// The opening handshake of a client (RFC 6455 section 4.1): its request, and the check of the
/// answer.
package struct WebSocketOpening: Sendable {
    private let subprotocols: [String]
    private let key: [UInt8]
    private let accept: [UInt8]

    package static let keyLength = 16

    /// `key` is 16 new random bytes.
    package init(key: Span<UInt8>, subprotocols: [String] = []) {
        precondition(key.count == Self.keyLength)
        let key = Base64.encode(key)
        accept = WebSocketAccept.value(forKey: key)
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
