import Testing

@testable import HTTP

@Suite("What a request says about its connection")
struct HTTP1PersistenceTests {
    @Test(
        "HTTP/1.1 stays open unless told otherwise, HTTP/1.0 closes unless told otherwise",
        arguments: [
            ("1.1", "", true), ("1.1", "close", false), ("1.1", "Close", false),
            ("1.1", "keep-alive, close", false), ("1.1", "x,\tclose ,y", false),
            ("1.1", "closed", true), ("1.0", "", false), ("1.0", "keep-alive", true),
            ("1.0", "Keep-Alive, close", false),
        ])
    func keepAlive(_ version: String, _ connection: String, _ isExpected: Bool) {
        let line = connection.isEmpty ? "" : "Connection: \(connection)\r\n"
        let head = Transcript("GET / HTTP/\(version)\r\nHost: a\r\n\(line)\r\n").heads.first
        #expect(head?.keepsAlive == isExpected)
    }

    @Test("HTTP/1.0 needs no Host, but may not have two or a bad one")
    func oldHost() {
        #expect(Transcript("GET / HTTP/1.0\r\n\r\n").heads.first?.authority == nil)
        #expect(Transcript("GET / HTTP/1.0\r\n\r\n").isComplete)
        #expect(Transcript("GET / HTTP/1.0\r\nHost: /\r\n\r\n").refusal == .badHost)
        #expect(Transcript("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n").refusal == .repeatedHost)
    }

    @Test("HTTP/1.0 has no transfer codings")
    func oldCoding() {
        let input = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Transcript(input).refusal == .transferEncodingInHTTP10)
    }

    @Test("An upgrade is recognised, and the bytes after its head are not read")
    func upgrade() {
        let head = get("Connection: keep-alive, Upgrade", "Upgrade: websocket")
        let input = Array((head + "\u{1}\u{2}").utf8)
        var parser = HTTP1Parser()
        var position = 0
        #expect(parser.next(in: input.span, from: &position) == .head)
        #expect(parser.head.asksForUpgrade)
        #expect(position == input.count - 2)
        #expect(parser.next(in: input.span, from: &position) == .end)
        #expect(position == input.count - 2)
    }

    @Test(
        "An incomplete upgrade is not an upgrade",
        arguments: ["Connection: upgrade", "Upgrade: websocket", "Connection: x\r\nUpgrade: y"])
    func halfUpgrade(_ line: String) {
        #expect(Transcript(get(line)).heads.first?.asksForUpgrade == false)
    }

    @Test("The preface of HTTP/2 is recognised, and its second half not read")
    func preface() {
        let input = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        var parser = HTTP1Parser()
        var position = 0
        #expect(parser.next(in: input.span, from: &position) == .http2Preface)
        #expect(position == HTTP1Parser.http2PrefaceStart.utf8CodeUnitCount)
        #expect(parser.next(in: input.span, from: &position) == .needsMore)
        #expect(position == 16)
    }

    @Test(
        "A line that only resembles the preface has an unsupported version",
        arguments: [
            "PRI / HTTP/2.0\r\n", "PRI * HTTP/2.1\r\n", "pri * HTTP/2.0\r\n",
            "\r\nPRI * HTTP/2.0\r\n",
        ])
    func notPreface(_ line: String) {
        #expect(Transcript(line).refusal == .unsupportedVersion)
    }

    @Test("The preface of HTTP/2 may not follow a request")
    func latePreface() {
        #expect(Transcript(get() + "PRI * HTTP/2.0\r\n\r\n").refusal == .unsupportedVersion)
    }
}
