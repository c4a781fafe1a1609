import Foundation
import HTTP
import Testing

@Suite("WebSocket opening handshake")
struct WebSocketHandshakeTests {
    typealias Field = (name: String, value: String)

    /// The example of RFC 6455 section 1.3.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    static let request: [Field] = [
        ("Host", "server.example.com"), ("Upgrade", "websocket"),
        ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Key", key),
        ("Sec-WebSocket-Protocol", "chat, push-notification"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Extensions", "permessage-deflate"),
    ]

    static func gather(_ fields: [Field]) -> WebSocketFields {
        var result = WebSocketFields()
        for field in fields {
            result.add(name: Array(field.name.utf8).span, value: Array(field.value.utf8).span)
        }
        return result
    }

    static func changed(_ fields: [Field], _ name: String, _ values: [String]) -> [Field] {
        fields.filter { $0.name != name } + values.map { (name, $0) }
    }

    static func upgrade(
        _ fields: [Field], isGET: Bool = true, isHTTP11: Bool = true
    ) throws(WebSocketRefusal) -> WebSocketUpgrade {
        try WebSocketUpgrade(
            gather(fields), isGET: isGET, isHTTP11: isHTTP11,
            subprotocols: ["push-notification"])
    }

    @Test("The example of RFC 6455 gets the answer of RFC 6455")
    func example() throws {
        let upgrade = try Self.upgrade(Self.request)
        #expect(upgrade.subprotocol == "push-notification")
        let answer = String(decoding: upgrade.answer(), as: UTF8.self)
        #expect(
            answer == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: \(Self.accept)\r
                Sec-WebSocket-Protocol: push-notification\r
                \r

                """)
    }

    @Test(
        "Requests of other clients are accepted",
        arguments: [
            ("Connection", ["Upgrade"]), ("Connection", ["keep-alive", "UPGRADE"]),
            ("Upgrade", ["WebSocket"]), ("Upgrade", ["h2c, websocket"]),
            ("Sec-WebSocket-Protocol", ["push-notification", "chat"]),
            ("Sec-WebSocket-Protocol", [" ,chat ,\tpush-notification,"]),
            ("Sec-WebSocket-Key", ["AAAAAAAAAAAAAAAAAAAAAA=="]),
            ("Sec-WebSocket-Key", ["+/+/+/+/+/+/+/+/+/+/+/=="]),
        ])
    func taken(name: String, values: [String]) throws {
        let upgrade = try Self.upgrade(Self.changed(Self.request, name, values))
        #expect(upgrade.subprotocol == "push-notification")
    }

    @Test(
        "An unknown subprotocol is not answered",
        arguments: ["", "chat", "PUSH-NOTIFICATION"])
    func noSubprotocol(offer: String) throws {
        let fields = Self.changed(Self.request, "Sec-WebSocket-Protocol", [offer])
        let upgrade = try Self.upgrade(fields)
        #expect(upgrade.subprotocol == nil)
        let answer = String(decoding: upgrade.answer(), as: UTF8.self)
        #expect(!answer.contains("Sec-WebSocket-Protocol"))
        #expect(!answer.contains("Extensions"))
    }

    @Test(
        "An invalid request is refused with its reason",
        arguments: [
            ("Upgrade", [], WebSocketRefusal.noUpgrade), ("Upgrade", ["websockets"], .noUpgrade),
            ("Connection", ["close"], .noUpgrade), ("Connection", ["x-upgrade"], .noUpgrade),
            ("Sec-WebSocket-Version", [], .badVersion),
            ("Sec-WebSocket-Version", ["8"], .badVersion),
            ("Sec-WebSocket-Version", ["13, 8"], .badVersion),
            ("Sec-WebSocket-Version", ["13", "13"], .repeatedField),
            ("Sec-WebSocket-Key", [], .badKey), ("Sec-WebSocket-Key", [""], .badKey),
            ("Sec-WebSocket-Key", [key, key], .repeatedField),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ"], .badKey),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQo="], .badKey),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBs-SBub25jZQ=="], .badKey),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBs SBub25jZQ=="], .badKey),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZSEhIQ=="], .badKey),
        ])
    func refused(name: String, values: [String], refusal: WebSocketRefusal) {
        #expect(throws: refusal) {
            try Self.upgrade(Self.changed(Self.request, name, values))
        }
    }

    @Test("Only GET over HTTP/1.1 can be upgraded")
    func otherRequests() {
        #expect(throws: WebSocketRefusal.badMethod) {
            try Self.upgrade(Self.request, isGET: false)
        }
        #expect(throws: WebSocketRefusal.badHTTPVersion) {
            try Self.upgrade(Self.request, isHTTP11: false)
        }
    }

    static let opening = WebSocketOpening(
        key: Array("the sample nonce".utf8).span, subprotocols: ["push-notification", "other"])

    @Test("A client writes a request that the server accepts")
    func clientRequest() throws {
        let request = Self.opening.request(
            host: "[::1]:8443", target: "/u/x?y=z", fields: [("Authorization", "Bearer t")])
        let lines = String(decoding: request, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.first == "GET /u/x?y=z HTTP/1.1")
        #expect(lines.suffix(2) == ["", ""])
        let fields = lines.dropFirst().dropLast(2).compactMap { line -> Field? in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        #expect(fields.contains { $0 == ("Host", "[::1]:8443") })
        #expect(fields.contains { $0 == ("Authorization", "Bearer t") })
        #expect(fields.contains { $0 == ("Sec-WebSocket-Key", Self.key) })
        #expect(try Self.upgrade(fields).subprotocol == "push-notification")
    }

    static let answer: [Field] = [
        ("Upgrade", "WebSocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Accept", accept),
        ("Sec-WebSocket-Protocol", "push-notification"),
    ]

    @Test("The client accepts the right answer")
    func clientTakes() throws {
        let chosen = try Self.opening.subprotocol(answered: Self.gather(Self.answer), status: 101)
        #expect(chosen == "push-notification")
        let plain = Self.gather(Self.changed(Self.answer, "Sec-WebSocket-Protocol", []))
        #expect(try Self.opening.subprotocol(answered: plain, status: 101) == nil)
    }

    @Test(
        "The client refuses any other answer",
        arguments: [
            ("Upgrade", [], WebSocketRefusal.noUpgrade), ("Connection", [], .noUpgrade),
            ("Sec-WebSocket-Accept", [], .badAccept),
            ("Sec-WebSocket-Accept", ["s3pPLMBiTxaQ9kYGzzhZRbK+xOp="], .badAccept),
            ("Sec-WebSocket-Accept", [accept.lowercased()], .badAccept),
            ("Sec-WebSocket-Accept", [accept, accept], .repeatedField),
            ("Sec-WebSocket-Extensions", ["permessage-deflate"], .unexpectedExtension),
            ("Sec-WebSocket-Protocol", ["chat"], .unexpectedProtocol),
            ("Sec-WebSocket-Protocol", ["push-notification, other"], .unexpectedProtocol),
        ])
    func clientRefuses(name: String, values: [String], refusal: WebSocketRefusal) {
        let fields = Self.gather(Self.changed(Self.answer, name, values))
        #expect(throws: refusal) {
            try Self.opening.subprotocol(answered: fields, status: 101)
        }
    }

    @Test("The client refuses any other status", arguments: [100, 200, 301, 401, 426, 503])
    func status(status: Int) {
        #expect(throws: WebSocketRefusal.badStatus(status)) {
            try Self.opening.subprotocol(answered: Self.gather(Self.answer), status: status)
        }
    }
}
