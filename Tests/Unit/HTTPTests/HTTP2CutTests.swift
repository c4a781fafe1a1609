import TestSupport
import Testing

@testable import HTTP

@Suite("HTTP/2 in pieces, and broken")
struct HTTP2CutTests {
    /// Everything that a client may do, as one stream of bytes.
    static func conversation() -> [UInt8] {
        let client = HTTP2Client()
        client.get("/a?b", [("cookie", "a"), ("cookie", "b"), ("authorization", "vapid t=x, k=y")])
        client.post("/push", [UInt8](repeating: 3, count: 200), [("ttl", "60")])
        client.request(
            HTTP2Client.head("POST") + [("expect", "100-continue")], body: [[1], [2, 3]],
            trailers: [("x-sum", "4")])
        client.ping()
        client.request(HTTP2Client.head("GET", "/#"))
        client.request(HTTP2Client.head("GET") + [("connection", "close")])
        let open = client.request(HTTP2Client.head("PUT"), body: [[9]], keepsOpen: true)
        var bytes = client.output()
        client.reset(open)
        client.get("/last")
        bytes += client.output()
        return bytes
    }

    private struct Outcome: Equatable {
        /// Everything but the bodies.
        var entries: [HTTP2Server.Entry] = []
        /// Bodies of complete requests only; the others depend on the cuts.
        var bodies: [Int32: [UInt8]] = [:]
        var output: [UInt8] = []
        var isFinished = false
    }

    private static func outcome(_ bytes: [UInt8], cuts: [Int] = []) throws -> Outcome {
        var server = try HTTP2Server()
        var start = 0
        for end in cuts + [bytes.count] {
            server.receive(Array(bytes[start..<end]))
            start = end
        }
        var outcome = Outcome()
        outcome.output = server.output()
        outcome.isFinished = server.session.isFinished
        for entry in server.entries {
            if case .end(let stream) = entry { outcome.bodies[stream] = server.body(of: stream) }
            if case .body = entry { continue }
            outcome.entries.append(entry)
        }
        return outcome
    }

    @Test("Requests cut at any place, or into single bytes, are the same requests")
    func cutAnywhere() throws {
        let bytes = Self.conversation()
        let whole = try Self.outcome(bytes)
        #expect(whole.entries.count > 10 && whole.bodies.count == 4 && !whole.isFinished)
        for cut in 0...bytes.count {
            let pieces = try Self.outcome(bytes, cuts: [cut])
            #expect(pieces == whole, "cut at \(cut)")
        }
        let single = try Self.outcome(bytes, cuts: Array(1..<bytes.count))
        #expect(single == whole)
    }

    @Test(
        "Broken bytes never crash, and are read the same however they are cut", arguments: 0..<100)
    func mutations(batch: Int) throws {
        let original = Self.conversation()
        for index in 0..<100 {
            var random = SeededGenerator(seed: UInt64(batch * 100 + index))
            var bytes = original
            for _ in 0..<Int.random(in: 1...5, using: &random) { Self.mutate(&bytes, &random) }
            let whole = try Self.outcome(bytes)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let pieces = try Self.outcome(bytes, cuts: [cut])
            #expect(pieces == whole, "seed \(batch * 100 + index)")
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        // The preface is mostly left intact: nothing is read after a broken one.
        let first = Int.random(in: 0..<50, using: &random) == 0 ? 0 : 24
        let place = Int.random(in: first..<bytes.count, using: &random)
        let byte = UInt8.random(in: 0...255, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.insert(byte, at: place)
        case 3: bytes.remove(at: place)
        default:
            let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
            bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
    }

    @Test("Random bytes after the preface are never served", arguments: 0..<200)
    func noise(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1 << 41)
        let noise = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.preface + noise)
        _ = server.output()
        #expect(server.heads.isEmpty && server.failure != nil && server.session.isFinished)
    }
}
