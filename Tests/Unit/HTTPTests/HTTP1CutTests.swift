import Testing

@testable import HTTP

@Suite("HTTP/1.1 in pieces")
struct HTTP1CutTests {
    static let corpus: [String] =
        [
            get(), get("A: b", "B:", "Connection: close"),
            "\r\n" + get() + "\r\n\r\n" + get("C: d"),
            "POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + get(),
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
            chunked("5;a=\"b\"\r\nhello\r\n1\r\n \r\n0\r\nA: b\r\nC: d\r\n\r\n") + get(),
            "GET http://a/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get(),
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n",
        ] + (HTTP1HeadTests.requestLines + HTTP1HeadTests.fieldLines).map(\.input)
        + HTTP1HeadTests.fieldLines.map { "GET / HTTP/1.1\r\nHost: a\r\n" + $0.input + "\r\n" }
        + HTTP1HeadTests.framings.map { get($0.input) }

    @Test(
        "A request cut at any place, or into single bytes, is the same request", arguments: corpus)
    func cutAnywhere(_ input: String) {
        let bytes = Transcript.endingLine(Array(input.utf8))
        let whole = Transcript(bytes)
        // The longest inputs repeat a single byte.
        for cut in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 300)) {
            #expect(Transcript(bytes, cuts: [cut]) == whole, "cut at \(cut)")
        }
        #expect(Transcript.byteByByte(bytes) == whole)
    }

    @Test("Pipelined requests are read one by one, however they were cut")
    func pipelining() {
        let bytes = Array(Self.corpus.prefix(6).joined().utf8)
        let whole = Transcript(bytes)
        #expect(whole.heads.count == 9)
        #expect(whole.isComplete)
        for size in 1...97 {
            let cuts = Array(stride(from: size, to: bytes.count, by: size))
            #expect(Transcript(bytes, cuts: cuts) == whole, "pieces of \(size)")
        }
    }

    @Test("A head that comes byte by byte is not read again for every byte")
    func linearWork() {
        var limits = HTTPLimits()
        limits.headBytes = 1024 * 1024
        let head = Array(get("A: " + String(repeating: "b", count: 1024 * 1024 - 100)).utf8)
        // With quadratic work these are 10^12 steps: the test would never end.
        #expect(Transcript.byteByByte(head, limits: limits).isComplete)
    }

    @Test("The memory of a head can be reused by another connection")
    func memory() {
        let first = Array(get("A: b").utf8)
        let second = Array(get("C: d").utf8)
        var (one, other) = (HTTP1Parser(), HTTP1Parser())
        var position = 0
        #expect(one.next(in: first.span, from: &position) == .head)
        #expect(one.next(in: first.span, from: &position) == .end)
        let head = one.takeHead()
        #expect(one.head.bytes.isEmpty)
        other.reuse(head)
        position = 0
        #expect(other.next(in: second.span, from: &position) == .head)
        #expect(Transcript.Head(other.head).fields == ["Host=push.example", "C=d"])
        #expect(Transcript.Head(head).fields == ["Host=push.example", "A=b"])
    }
}
