import Testing

@testable import HTTP

@Suite("HTTP/2 requests that are refused")
struct HTTP2RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let fields: [(String, String)]
        let refusal: HTTPRefusal
        var testDescription: String { name }

        init(_ name: String, _ fields: [(String, String)], _ refusal: HTTPRefusal) {
            (self.name, self.fields, self.refusal) = (name, fields, refusal)
        }
    }

    static func head(_ path: String, method: String = "GET") -> [(String, String)] {
        HTTP2Client.head(method, path)
    }

    static let answered = [
        Case(
            "big fields", head("/") + [("a", String(repeating: "b", count: 17_000))], .headTooLarge),
        Case(
            "many small fields", head("/") + (0..<101).map { ("a\($0)", "b") }, .tooManyFields),
        Case("long target", head("/" + String(repeating: "a", count: 9000)), .targetTooLong),
        Case("long method", head("/", method: String(repeating: "A", count: 33)), .methodTooLong),
        Case("tunnel", [(":method", "CONNECT"), (":authority", "a:1")], .tunnel),
        Case("fragment", head("/a#b"), .badTarget),
        Case("target beyond ASCII", head("/\u{E9}"), .badTarget),
        Case(
            "other scheme",
            [(":method", "GET"), (":scheme", "ftp"), (":authority", "a"), (":path", "/")],
            .badTarget),
        Case("bad authority", authority("user@host"), .badHost),
        Case("bad port", authority("a:b"), .badHost),
        Case("host is another", head("/") + [("host", "elsewhere")], .badHost),
        Case("expectation", head("/") + [("expect", "wonders")], .unsupportedExpectation),
        Case("control character", head("/") + [("a", "b\u{1}c")], .badFieldValue),
        Case("white space around", head("/") + [("a", " b")], .badFieldValue),
        Case("no token", head("/") + [("a b", "c")], .badFieldName),
        Case(
            "announced body",
            head("/", method: "POST") + [("content-length", "65537")], .bodyTooLarge),
    ]

    static func authority(_ text: String) -> [(String, String)] {
        [(":method", "GET"), (":scheme", "https"), (":authority", text), (":path", "/")]
    }

    @Test("The answer names the reason, and the connection continues", arguments: Self.answered)
    func isAnswered(_ refused: Case) throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let hasBody = refused.refusal == .bodyTooLarge
        let stream = client.request(refused.fields, body: hasBody ? [] : nil, keepsOpen: hasBody)
        let next = client.get()
        server.talk(with: client)
        #expect(server.refusals == [refused.refusal])
        #expect(client.answers[stream]?.status == "\(refused.refusal.status)")
        #expect(client.answers[next]?.status == "201")
        #expect(client.answers[stream]?.closed == (hasBody ? nil : .noError))
        #expect(server.session.openStreams == (hasBody ? 1 : 0))
    }

    static let malformed: [Case] = [
        ("no method", [(":scheme", "https"), (":authority", "a"), (":path", "/")]),
        ("no path", [(":method", "GET"), (":scheme", "https"), (":authority", "a")]),
        ("no scheme", [(":method", "GET"), (":authority", "a"), (":path", "/")]),
        ("no authority", [(":method", "GET"), (":scheme", "https"), (":path", "/")]),
        ("empty path", head("")),
        ("relative path", head("a/b")),
        ("absolute form", head("https://push.example/")),
        ("path twice", head("/") + [(":path", "/")]),
        ("unknown pseudo-header", [(":a", "b")] + head("/")),
        ("extended CONNECT", [(":protocol", "websocket")] + head("/", method: "CONNECT")),
        ("pseudo-header behind a field", [("a", "b")] + head("/")),
        ("answer's pseudo-header", [(":status", "200")] + head("/")),
        ("connection", head("/") + [("connection", "close")]),
        ("transfer-encoding", head("/") + [("transfer-encoding", "chunked")]),
        ("upgrade", head("/") + [("upgrade", "websocket")]),
        ("te", head("/") + [("te", "gzip")]),
        ("host twice", head("/") + [("host", "push.example"), ("host", "push.example")]),
        ("content-length twice", head("/") + [("content-length", "0"), ("content-length", "0")]),
        ("signed content-length", head("/") + [("content-length", "+0")]),
        ("content-length without body", head("/") + [("content-length", "1")]),
    ].map { Case($0.0, $0.1, .badRequestLine) }

    @Test(
        "A request that breaks the protocol is reset without an answer", arguments: Self.malformed)
    func breaksProtocol(_ malformed: Case) throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let stream = client.request(malformed.fields)
        let next = client.get()
        server.talk(with: client)
        #expect(client.answers[stream]?.status == "")
        #expect(client.answers[stream]?.closed == .protocolError)
        #expect(client.answers[next]?.status == "201")
        #expect(server.heads.count <= 2 && server.session.openStreams == 0)
    }

    @Test("A name in upper case breaks the request")
    func upperCase() throws {
        var server = try HTTP2Server()
        let field: [UInt8] = [0x00, 0x01, UInt8(ascii: "A"), 0x01, UInt8(ascii: "b")]
        server.receive(
            HTTP2Wire.opening
                + HTTP2Wire.frame(0x1, flags: 5, stream: 1, HTTP2Wire.getBlock + field))
        #expect(server.entries.isEmpty)
        #expect(server.output().suffix(13) == HTTP2Wire.frame(0x3, stream: 1, [0, 0, 0, 1]))
    }

    @Test("More or less body than announced breaks the request", arguments: ["1", "3"])
    func wrongLength(length: String) throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let stream = client.request(
            HTTP2Client.head("POST") + [("content-length", length)], body: [[1, 2]])
        server.talk(with: client)
        #expect(client.answers[stream]?.closed == .protocolError)
        #expect(!server.entries.contains(.end(stream)))
        #expect(server.entries.last == .closed(stream, .protocolError))
    }

    @Test("A body of unknown length is cut off at the limit, which a route may set")
    func bodyLimit() throws {
        var server = try HTTP2Server()
        server.bodyLimit = 10
        server.answerAll()
        let client = HTTP2Client()
        let fits = client.request(
            HTTP2Client.head("POST"), body: [[UInt8](repeating: 1, count: 10)])
        let long = client.request(
            HTTP2Client.head("POST"), body: [[UInt8](repeating: 1, count: 11)])
        server.talk(with: client)
        #expect(client.answers[fits]?.status == "201")
        #expect(client.answers[long]?.status == "413")
        #expect(client.answers[long]?.closed == .noError)
    }

    @Test("A body that is announced too long is refused, even if the head was taken away")
    func takenHead() throws {
        let session = try HTTP2Session(frameBuffers: HTTP2FrameBuffers(), at: .zero)
        let client = HTTP2Client()
        let stream = client.post("/", [UInt8](repeating: 1, count: 6000))
        let input = client.output()
        var position = 0
        #expect(session.next(in: input.span, from: &position, at: .zero) == .head(stream))
        _ = session.takeHead()
        session.setBodyLimit(5999, on: stream)
        let event = session.next(in: input.span, from: &position, at: .zero)
        #expect(event == .refused(stream, .bodyTooLarge))
        #expect(session.next(in: input.span, from: &position, at: .zero) == .needsMore)
    }

    @Test("Anything but HTTP/2 at the start ends the connection without an answer")
    func badPreface() throws {
        var server = try HTTP2Server()
        _ = server.output()
        server.receive(Array("GET / HTTP/1.1\r\nHost: push.example\r\n\r\n".utf8))
        #expect(server.failure == .badPreface)
        #expect(server.session.isFinished && server.output().isEmpty)
    }

    @Test(
        "A skipped stream cannot be opened later; an opened one may have been reset",
        arguments: [
            ([5, 3], true), ([1, 9, 13, 7], true), ([1, 9, 13, 3], true), ([1, 3, 5, 3], false),
            ([7, 9, 7], false), ([7, 1], true), ([1_001, 2_001, 999], true),
        ])
    func decreasing(_ streams: [Int32], fails: Bool) throws {
        var server = try HTTP2Server()
        server.answerAll()
        server.receive(HTTP2Wire.opening)
        for stream in streams {
            #expect(server.failure == nil)
            server.receive(HTTP2Wire.get(stream))
            _ = server.output()
        }
        #expect(server.failure == (fails ? .protocolError(.protocolError) : nil))
    }

    @Test(
        "A frame that the protocol forbids ends the connection with its code",
        arguments: [
            HTTP2Wire.frame(0x0, stream: 1, [0]), HTTP2Wire.frame(0x9, flags: 4, stream: 1, [0]),
            HTTP2Wire.frame(0x6, [0]), HTTP2Wire.get(2), HTTP2Wire.frame(0x5, stream: 1, [0]),
            HTTP2Wire.frame(0x2, [0, 0, 0, 0, 1]),
            HTTP2Wire.get(1, flags: 1) + HTTP2Wire.get(3),
            HTTP2Wire.frame(0x1, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0],
        ])
    func protocolError(_ frame: [UInt8]) throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        server.receive(HTTP2Wire.opening + frame + HTTP2Wire.get(5))
        client.receive(server.output())
        let code = try #require(client.goAways.last)
        #expect(code != .noError && server.failure == .protocolError(code))
        #expect(server.session.isFinished && server.heads.isEmpty)
    }
}
