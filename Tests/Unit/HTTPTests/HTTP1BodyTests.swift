import Testing

@testable import HTTP

@Suite("HTTP/1.1 bodies")
struct HTTP1BodyTests {
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

    @Test("A body of known length ends there and the next request follows")
    func length() {
        let transcript = Transcript(Self.post + "Content-Length: 005\r\n\r\nhello" + get())
        #expect(transcript.body == "hello")
        #expect(transcript.heads.count == 2)
        #expect(transcript.isComplete)
    }

    @Test("A request without length or coding has no body, whatever its method")
    func noBody() {
        #expect(Transcript(Self.post + "\r\n" + get()).heads.count == 2)
        #expect(Transcript("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").isComplete)
    }

    @Test(
        "Chunks are joined, their extensions ignored and trailers dropped",
        arguments: [
            "5\r\nhello\r\n0\r\n\r\n",
            "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            "0005\r\nhello\r\n00\r\n\r\n",
            "5;a\r\nhello\r\n0;b=c\r\n\r\n",
            "5;a=\"b;\\\" \t\";c\r\nhello\r\n0\r\n\r\n",
            "5 ; a = b\r\nhello\r\n0\t;c\r\n\r\n",
            "5\r\nhello\r\n0\r\nA: b\r\nContent-Length: 7\r\n\r\n",
        ])
    func chunks(_ body: String) {
        let transcript = Transcript(chunked(body) + get())
        #expect(transcript.body == "hello")
        #expect(transcript.heads.count == 2)
        #expect(transcript.heads.first?.fields.count == 2)
        #expect(transcript.isComplete)
    }

    @Test("The digits of a chunk size may be of either case")
    func hexadecimal() {
        let data = String(repeating: "x", count: 0xAB)
        #expect(Transcript(chunked("aB\r\n\(data)\r\n0\r\n\r\n")).body == data)
    }

    @Test(
        "A malformed chunk is refused",
        arguments: [
            ("\r\n", .badChunkSize), ("x\r\n", .badChunkSize), ("0x5\r\n", .badChunkSize),
            ("+5\r\n", .badChunkSize), ("-5\r\n", .badChunkSize), (" 5\r\n", .badChunkSize),
            ("5 \r\n", .badChunkExtension), ("5 5\r\n", .badChunkExtension),
            ("5,5\r\n", .badChunkSize), ("00000000000000005\r\n", .badChunkSize),
            ("10000000000000005\r\n", .badChunkSize), ("ffffffffffffffff\r\n", .bodyTooLarge),
            ("10001\r\n", .bodyTooLarge), ("5\nhello", .bareLineFeed),
            ("5\rhello\r\n", .badChunkSize), ("5;\r\n", .badChunkExtension),
            ("5;a=\r\n", .badChunkExtension), ("5;=b\r\n", .badChunkExtension),
            ("5;a=\"b\r\n", .badChunkExtension), ("5;a=\"b\\\r\n", .badChunkExtension),
            ("5;a=\"\u{0}\"\r\n", .badChunkExtension), ("5;a b\r\n", .badChunkExtension),
            ("5;a=\"b\nc\"\r\n", .bareLineFeed), ("5\r\nhelloX\r\n", .missingChunkEnd),
            ("5\r\nhello\n0\r\n", .missingChunkEnd), ("5\r\nhello0\r\n", .missingChunkEnd),
            ("5\r\nhello\rX", .missingChunkEnd), ("0\r\nA b\r\n", .spaceBeforeColon),
            ("0\r\n A: b\r\n", .foldedLine), ("0\r\nA: b\r\n c\r\n", .foldedLine),
            ("0\r\nA: b\nB: c\r\n", .bareLineFeed), ("0\r\nA: b\rc\r\n", .bareCarriageReturn),
            ("0\r\n\n", .bareLineFeed), ("0\r\nA: \u{0}\r\n", .badFieldValue),
        ] as [(String, HTTPRefusal)])
    func badChunk(_ body: String, _ refusal: HTTPRefusal) {
        #expect(Transcript(chunked(body)).refusal == refusal)
        #expect(Transcript.byteByByte(Array(chunked(body).utf8)).refusal == refusal)
    }

    @Test("Extensions and trailers of a message are bounded as a whole")
    func bounds() {
        let chunk = "1;" + String(repeating: "a", count: 511) + "\r\nx\r\n"
        #expect(Transcript(chunked(chunk + chunk + "0\r\n\r\n")).isComplete)
        #expect(Transcript(chunked(chunk + chunk + "0;a\r\n")).refusal == .chunkExtensionsTooLong)
        let endless = "1;" + String(repeating: "a", count: 2000)
        #expect(Transcript(chunked(endless)).refusal == .chunkExtensionsTooLong)

        let trailer = "A: " + String(repeating: "b", count: 1019) + "\r\n"
        let four = String(repeating: trailer, count: 4)
        #expect(
            Transcript(chunked("0\r\n" + four.replacing("bb\r\n", with: "b\r\n") + "\r\n"))
                .isComplete)
        #expect(Transcript(chunked("0\r\n" + four + "\r\n")).refusal == .trailersTooLarge)
    }

    @Test("A body beyond the route's limit is refused before any of it is read")
    func limitOfRoute() {
        var parser = HTTP1Parser()
        for (input, expected) in [
            (Self.post + "Content-Length: 5631\r\n\r\nx", .refused(.bodyTooLarge)),
            (Self.post + "Content-Length: 1\r\n\r\nx", HTTP1Event.body(0..<1)),
            (chunked("15ff\r\nx"), .refused(.bodyTooLarge)),
        ] {
            parser = HTTP1Parser()
            let bytes = Array(input.utf8)
            var position = 0
            #expect(parser.next(in: bytes.span, from: &position) == .head)
            parser.bodyLimit = 5630
            let rest = Array(bytes[position...])
            position = 0
            #expect(parser.next(in: rest.span, from: &position) == expected)
        }
    }

    @Test("Chunks count together against the limit")
    func limitOfAllChunks() {
        let chunk = "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n"
        #expect(Transcript(chunked(chunk + chunk + "0\r\n\r\n")).isComplete)
        let transcript = Transcript(chunked(chunk + chunk + "1\r\nx\r\n"))
        #expect(transcript.refusal == .bodyTooLarge)
        #expect(transcript.body.utf8.count == 64 * 1024)
    }

    @Test("A sender that waits for 100 Continue gets it once, if its body is allowed")
    func expectation() {
        let expecting = Self.post + "Expect: 100-Continue\r\nContent-Length: "
        #expect(Transcript(expecting + "5\r\n\r\n").entries.last == .continueExpected)
        #expect(
            Transcript(expecting + "5\r\n\r\nhello").entries.dropFirst().first == .continueExpected)
        #expect(Transcript(expecting + "0\r\n\r\n").entries.last == .end)
        #expect(Transcript(expecting + "99999\r\n\r\n").refusal == .bodyTooLarge)
        let old = expecting.replacing("HTTP/1.1", with: "HTTP/1.0")
        #expect(!Transcript(old + "5\r\n\r\nhello").entries.contains(.continueExpected))
    }

    @Test("A body is delivered as ranges of the input")
    func ranges() {
        var parser = HTTP1Parser()
        let input = Array(chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").utf8)
        var position = 0
        #expect(parser.next(in: input.span, from: &position) == .head)
        let start = position
        #expect(parser.next(in: input.span, from: &position) == .body(start + 3..<start + 6))
        #expect(parser.next(in: input.span, from: &position) == .body(start + 11..<start + 13))
        #expect(parser.next(in: input.span, from: &position) == .end)
        #expect(position == input.count && parser.isBetweenRequests)
    }
}
