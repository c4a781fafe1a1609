import TestSupport
import Testing

@testable import HTTP

@Suite("HTTP/1.1 with generated requests")
struct HTTP1PropertyTests {
    private static let token = Array("!#$%&'*+-.^_`|~09azAZ")
    private static let value = Array("ab \t,;=\"\\:/é\u{80}")

    /// A valid request and what must be read from it.
    private struct Request {
        var wire = ""
        var method = ""
        var path = ""
        var fields: [String] = []
        var body = ""

        init(_ random: inout SeededGenerator) {
            method = Self.text(Self.token, 1...8, &random)
            if method == "CONNECT" { method = "GET" }
            path = "/" + Self.text(Array("abc/%20.;=:@"), 0...30, &random)
            wire = "\(method) \(path) HTTP/1.1\r\nHost: a\r\n"
            fields = ["Host=a"]
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let name = "x" + Self.text(Self.token, 0...12, &random)
                let value = "v" + Self.text(HTTP1PropertyTests.value, 0...40, &random) + "v"
                let blanks = Self.text([" ", "\t"], 0...3, &random)
                wire += name + ":" + blanks + value + blanks + "\r\n"
                fields.append(name + "=" + value)
            }
            body = Self.text(Array("ab\r\n0:é"), 0...60, &random)
            if Bool.random(using: &random) { addChunks(&random) } else { addBody() }
        }

        private mutating func addBody() {
            fields.append("Content-Length=\(body.utf8.count)")
            wire += "Content-Length: \(body.utf8.count)\r\n\r\n" + body
        }

        private mutating func addChunks(_ random: inout SeededGenerator) {
            fields.append("Transfer-Encoding=chunked")
            wire += "Transfer-Encoding: chunked\r\n\r\n"
            var rest = Substring(body)
            while !rest.isEmpty {
                // "\r\n" is one character of two bytes, so chunks are cut between characters.
                let piece = rest.prefix(Int.random(in: 1...9, using: &random))
                let size = String(
                    piece.utf8.count, radix: 16, uppercase: Bool.random(using: &random))
                wire += size + Self.text([";a", ";b=c", " ; d=\"e;\""], 0...2, &random) + "\r\n"
                wire += piece + "\r\n"
                rest = rest.dropFirst(piece.count)
            }
            wire += "0\r\n" + Self.text(["T: u\r\n", "V: w\r\n"], 0...3, &random) + "\r\n"
        }

        private static func text(
            _ letters: [some CustomStringConvertible], _ count: ClosedRange<Int>,
            _ random: inout SeededGenerator
        ) -> String {
            (0..<Int.random(in: count, using: &random)).reduce(into: "") { text, _ in
                text += letters[Int.random(in: letters.indices, using: &random)].description
            }
        }

        private static var token: [Character] { HTTP1PropertyTests.token }
    }

    @Test("Requests generated from the grammar are read correctly", arguments: 0..<500)
    func roundTrip(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let requests = (0..<3).map { _ in Request(&random) }
        let bytes = Array(requests.map(\.wire).joined().utf8)
        let transcript = Transcript(bytes)
        #expect(transcript.heads.map(\.method) == requests.map(\.method))
        #expect(transcript.heads.map(\.path) == requests.map(\.path))
        #expect(transcript.heads.map(\.fields) == requests.map(\.fields))
        #expect(transcript.body == requests.map(\.body).joined())
        #expect(transcript.isComplete)
        let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        #expect(Transcript(bytes, cuts: cuts) == transcript)
    }

    @Test("Broken requests are read the same way however they are cut", arguments: 0..<2000)
    func mutations(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) &* 7919)
        var bytes = Array(HTTP1CutTests.corpus[seed % 6].utf8)
        let spoilers = Array("\r\n\t \0:;,0aZ\u{7F}\"%/?#+-".utf8) + [0x80, 0xFF]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = spoilers[Int.random(in: 0..<spoilers.count, using: &random)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        bytes = Transcript.endingLine(bytes)
        let whole = Transcript(bytes)
        #expect(Transcript.byteByByte(bytes) == whole)
        let cut = Int.random(in: 0...bytes.count, using: &random)
        #expect(Transcript(bytes, cuts: [cut]) == whole)
    }

    @Test("Random bytes are refused or incomplete, and never served", arguments: 0..<200)
    func noise(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1 << 40)
        let noise = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        let bytes = Transcript.endingLine(noise)
        let transcript = Transcript(bytes)
        #expect(transcript.heads.isEmpty)
        #expect(Transcript.byteByByte(bytes) == transcript)
    }
}
