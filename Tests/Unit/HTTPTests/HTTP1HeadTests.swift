import Testing
@testable import HTTP

@Suite("HTTP/1.1 request heads")
struct HTTP1HeadTests {
    struct Refused: CustomTestStringConvertible {
        let what: String
        let input: String
        let refusal: HTTPRefusal
        var testDescription: String { what }

        init(_ what: String, _ input: String, _ refusal: HTTPRefusal) {
            (self.what, self.input, self.refusal) = (what, input, refusal)
        }
    }

    static let requestLines = [
        Refused("empty method", " / HTTP/1.1\r\n\r\n", .badRequestLine),
        Refused("method with a parenthesis", "G(T / HTTP/1.1\r\n\r\n", .badRequestLine),
        Refused("method of 33 letters", String(repeating: "A", count: 33), .methodTooLong),
        Refused("two spaces before the target", "GET  / HTTP/1.1\r\n\r\n", .badTarget),
        Refused("tab instead of a space", "GET\t/ HTTP/1.1\r\n\r\n", .badRequestLine),
        Refused("two spaces before the version", "GET /  HTTP/1.1\r\n\r\n", .badRequestLine),
        Refused("space after the version", "GET / HTTP/1.1 \r\n\r\n", .badRequestLine),
        Refused("no version", "GET /\r\n\r\n", .badTarget),
        Refused("no target", "GET HTTP/1.1\r\n\r\n", .badTarget),
        Refused("lower-case version", "GET / http/1.1\r\n\r\n", .badRequestLine),
        Refused("version without a slash", "GET / HTTP1.1\r\n\r\n", .badRequestLine),
        Refused("version with two digits", "GET / HTTP/1.10\r\n\r\n", .badRequestLine),
        Refused("version with a comma", "GET / HTTP/1,1\r\n\r\n", .badRequestLine),
        Refused("HTTP/2.0", "GET / HTTP/2.0\r\n\r\n", .unsupportedVersion),
        Refused("HTTP/0.9", "GET / HTTP/0.9\r\n\r\n", .unsupportedVersion),
        Refused("HTTP/3.0", "GET / HTTP/3.0\r\n\r\n", .unsupportedVersion),
        Refused("line feed alone", "GET / HTTP/1.1\n\n", .bareLineFeed),
        Refused("carriage return alone", "GET / HTTP/1.1\rX", .bareCarriageReturn),
        Refused("three empty lines first", "\r\n\r\n\r\nGET / HTTP/1.1\r\n", .tooManyEmptyLines),
        Refused("line feeds first", "\n\nGET / HTTP/1.1\r\n", .badRequestLine),
        Refused("a TLS record", "\u{16}\u{3}\u{1}\u{2}\u{0}", .badRequestLine),
        Refused("an upper-case byte of UTF-8 in the target", "GET /é HTTP/1.1\r\n", .badTarget),
        Refused("a NUL in the target", "GET /\u{0} HTTP/1.1\r\n", .badTarget),
        Refused("a fragment", "GET /a#b HTTP/1.1\r\n", .badTarget),
        Refused(
            "a target of 8,193 bytes",
            "GET /" + String(repeating: "a", count: 8192) + " HTTP/1.1\r\n", .targetTooLong),
    ]

    static let fieldLines = [
        Refused("line feed alone", "A: b\nB: c\r\n", .bareLineFeed),
        Refused("line feed after the name", "A\n", .bareLineFeed),
        Refused("carriage return alone", "A: b\rB: c\r\n", .bareCarriageReturn),
        Refused("two carriage returns", "A: b\r\r\n", .bareCarriageReturn),
        Refused("folded line", "A: b\r\n c\r\n", .foldedLine),
        Refused("folded line with a tab", "A: b\r\n\tc\r\n", .foldedLine),
        Refused("line of a space", "A: b\r\n \r\n", .foldedLine),
        Refused("space before the colon", "A : b\r\n", .spaceBeforeColon),
        Refused("tab before the colon", "A\t: b\r\n", .spaceBeforeColon),
        Refused("space inside the name", "A B: b\r\n", .spaceBeforeColon),
        Refused("empty name", ": b\r\n", .badFieldName),
        Refused("no colon", "Ab\r\n", .badFieldName),
        Refused("name with a slash", "A/b: c\r\n", .badFieldName),
        Refused("name in UTF-8", "é: c\r\n", .badFieldName),
        Refused("name with a NUL", "A\u{0}: c\r\n", .badFieldName),
        Refused("value with a NUL", "A: b\u{0}c\r\n", .badFieldValue),
        Refused("value with an escape", "A: \u{1B}[2J\r\n", .badFieldValue),
        Refused("value with a vertical tab", "A: \u{B}b\r\n", .badFieldValue),
        Refused("value with DEL", "Averylongname: averylongvalue\u{7F}\r\n", .badFieldValue),
        Refused("101 fields", String(repeating: "A: b\r\n", count: 100), .tooManyFields),
        Refused(
            "a head over 16 KiB", "A: " + String(repeating: "b", count: 16384), .headTooLarge),
        Refused("no Host", "", .missingHost),
        Refused("two Hosts", "Host: a\r\nHost: a\r\n", .repeatedHost),
        Refused("empty Host", "Host:\r\n", .badHost),
        Refused("Host with a space", "Host: a b\r\n", .badHost),
        Refused("Host with a path", "Host: a/b\r\n", .badHost),
        Refused("Host with a user", "Host: u@a\r\n", .badHost),
        Refused("Host with a port of letters", "Host: a:x\r\n", .badHost),
        Refused("Host with a port beyond 65535", "Host: a:65536\r\n", .badHost),
        Refused("Host with two ports", "Host: a:1:2\r\n", .badHost),
        Refused("Host that is only a port", "Host: :80\r\n", .badHost),
        Refused("Host with half an escape", "Host: a%4\r\n", .badHost),
        Refused("Host with an open bracket", "Host: [::1\r\n", .badHost),
        Refused("Host with an empty address", "Host: []\r\n", .badHost),
        Refused("another expectation", "Host: a\r\nExpect: 200-ok\r\n", .unsupportedExpectation),
    ]

    static let framings = [
        Refused("a sign", "Content-Length: +5", .badContentLength),
        Refused("a minus", "Content-Length: -5", .badContentLength),
        Refused("no number", "Content-Length:", .badContentLength),
        Refused("a list", "Content-Length: 5, 5", .badContentLength),
        Refused("hexadecimal", "Content-Length: 0x5", .badContentLength),
        Refused("a fraction", "Content-Length: 5.0", .badContentLength),
        Refused("a space inside", "Content-Length: 5 5", .badContentLength),
        Refused("2^63", "Content-Length: 9223372036854775808", .bodyTooLarge),
        Refused("2^64 + 5", "Content-Length: 18446744073709551621", .bodyTooLarge),
        Refused("the same twice", "Content-Length: 5\r\nContent-Length: 5", .repeatedContentLength),
        Refused("two lengths", "Content-Length: 5\r\nContent-Length: 6", .repeatedContentLength),
        Refused(
            "length, then coding", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            .lengthAndTransferEncoding),
        Refused(
            "coding, then length", "Transfer-Encoding: chunked\r\ncontent-length: 0",
            .lengthAndTransferEncoding),
        Refused("chunked twice", "Transfer-Encoding: chunked, chunked", .badTransferEncoding),
        Refused(
            "chunked on two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            .badTransferEncoding),
        Refused("chunked not last", "Transfer-Encoding: chunked, gzip", .badTransferEncoding),
        Refused("chunked not at all", "Transfer-Encoding: gzip", .badTransferEncoding),
        Refused("identity", "Transfer-Encoding: identity", .badTransferEncoding),
        Refused("no coding", "Transfer-Encoding:", .badTransferEncoding),
        Refused("an empty element", "Transfer-Encoding: ,chunked", .badTransferEncoding),
        Refused("a comma at the end", "Transfer-Encoding: chunked,", .badTransferEncoding),
        Refused("a parameter", "Transfer-Encoding: chunked;q=1", .badTransferEncoding),
        Refused("quotes", "Transfer-Encoding: \"chunked\"", .badTransferEncoding),
        Refused("a letter more", "Transfer-Encoding: xchunked", .badTransferEncoding),
        Refused("a vertical tab", "Transfer-Encoding: \u{B}chunked", .badFieldValue),
        Refused("a space before the colon", "Transfer-Encoding : chunked", .spaceBeforeColon),
        Refused("a fold", "Transfer-Encoding: gzip,\r\n chunked", .badTransferEncoding),
        Refused("a fold in another field", "A:\r\n Transfer-Encoding: chunked", .foldedLine),
        Refused("an unknown coding", "Transfer-Encoding: br, chunked", .unsupportedTransferCoding),
        Refused(
            "unknown codings on two lines", "Transfer-Encoding: a,b\r\nTransfer-Encoding: chunked",
            .unsupportedTransferCoding),
        Refused("another expectation", "Expect: 100-continue, x", .unsupportedExpectation),
    ]

    @Test("A malformed request line is refused", arguments: requestLines)
    func requestLine(_ test: Refused) {
        #expect(Transcript(test.input).entries == [.refused(test.refusal)])
    }

    @Test("A malformed field line is refused", arguments: fieldLines)
    func fieldLine(_ test: Refused) {
        let host = test.input.contains("Host:") || test.input.isEmpty ? "" : "Host: a\r\n"
        let input = "GET / HTTP/1.1\r\n" + host + test.input + "\r\n"
        #expect(Transcript(input).entries == [.refused(test.refusal)])
    }

    @Test("A body whose end is ambiguous is refused", arguments: framings)
    func framing(_ test: Refused) {
        #expect(Transcript(get(test.input)).entries == [.refused(test.refusal)])
    }

    @Test("White space before the first field is refused")
    func spaceAfterRequestLine() {
        #expect(Transcript("GET / HTTP/1.1\r\n Host: a\r\n\r\n").refusal == .foldedLine)
    }

    @Test("After a refusal the connection reads nothing more")
    func staysRefused() {
        var parser = HTTP1Parser()
        var position = 0
        let bad = Array("GET / HTTP/1.1\nGET".utf8)
        #expect(parser.next(in: bad.span, from: &position) == .refused(.bareLineFeed))
        let good = Array(get().utf8)
        position = 0
        #expect(parser.next(in: good.span, from: &position) == .refused(.bareLineFeed))
        #expect(position == 0)
        #expect(parser.head.bytes.isEmpty && parser.head.path.isEmpty)
    }

    @Test("A head is split into method, target and fields")
    func parts() throws {
        let input =
            "PATCH /a/b?c=d?e HTTP/1.1\r\nhOST:[::1]:8443\r\nX-Empty:\r\nA:\t b\tc \t\r\n\r\n"
        let transcript = Transcript(input)
        let head = try #require(transcript.heads.first)
        #expect(head.method == "PATCH")
        #expect(head.path == "/a/b")
        #expect(head.query == "c=d?e")
        #expect(head.authority == "[::1]:8443")
        #expect(head.version == .http11)
        #expect(head.fields == ["hOST=[::1]:8443", "X-Empty=", "A=b\tc"])
        #expect(transcript.isComplete)
    }

    @Test("An unknown method keeps its name")
    func unknownMethod() {
        #expect(Transcript("get / HTTP/1.1\r\nHost: a\r\n\r\n").heads.first?.method == "get")
    }

    @Test("A value may have bytes above ASCII")
    func obsoleteText() {
        let input = Array("GET / HTTP/1.1\r\nHost: a\r\nA: ".utf8) + [0xE9, 0xFF, 0x80]
        #expect(Transcript(input + Array("\r\n\r\n".utf8)).isComplete)
    }

    @Test(
        "A Host may be any name, address and port",
        arguments: [
            "a", "a.b", "a_b", "127.0.0.1", "[::1]", "[::ffff:1.2.3.4]:80", "a:", "a:0", "a:65535",
            "a%2Db", "xn--bcher-kva.example",
        ])
    func host(_ host: String) {
        let input = "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        #expect(Transcript(input).heads.first?.authority == host)
    }

    @Test("Two empty lines before a request are skipped")
    func emptyLines() {
        #expect(Transcript("\r\n\r\n" + get() + "\r\n" + get()).heads.count == 2)
    }

    @Test("HTTP/1.2 is read as 1.1")
    func laterMinorVersion() {
        let head = Transcript("GET / HTTP/1.2\r\nHost: a\r\n\r\n").heads.first
        #expect(head?.version == .http11)
    }

    @Test("Values exactly at the limits are allowed")
    func limits() {
        let target = "/" + String(repeating: "a", count: 8191)
        let start = "GET \(target) HTTP/1.1\r\nHost: a\r\n"
        let fields = String(repeating: "A: b\r\n", count: 98)
        let last = 16 * 1024 - start.utf8.count - fields.utf8.count - "B: \r\n\r\n".utf8.count
        let head = start + fields + "B: " + String(repeating: "b", count: last) + "\r\n\r\n"
        #expect(Transcript(head).isComplete)
        let longer = head.replacing("B: ", with: "B: b")
        #expect(Transcript(longer).refusal == .headTooLarge)
        #expect(Transcript.byteByByte(Array(longer.utf8)).refusal == .headTooLarge)
    }
}
