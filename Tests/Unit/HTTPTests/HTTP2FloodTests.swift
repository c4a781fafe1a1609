import Testing

@testable import HTTP

@Suite("HTTP/2 floods and their limits")
struct HTTP2FloodTests {
    struct Flood: Sendable, CustomTestStringConvertible {
        let kind: HTTP2Flood
        /// How many are allowed in a window.
        let bound: Int
        /// The bytes of number n.
        let bytes: @Sendable (Int32) -> [UInt8]
        var name: String = ""
        var testDescription: String { "\(kind.rawValue) \(name)" }
    }

    private static let limits = HTTP2FloodLimits()

    static let floods: [Flood] = [
        Flood(kind: .resets, bound: limits.resets) {
            HTTP2Wire.get(2 * $0 + 1) + HTTP2Wire.reset(2 * $0 + 1)
        },
        // The first of them is part of the opening.
        Flood(kind: .settings, bound: limits.settings - 1) { _ in HTTP2Wire.settings() },
        Flood(kind: .pings, bound: limits.pings) { _ in
            HTTP2Wire.frame(0x6, [UInt8](repeating: 0, count: 8))
        },
        Flood(kind: .windowUpdates, bound: limits.windowUpdates) { _ in
            HTTP2Wire.frame(0x8, [0, 0, 0, 1])
        },
        Flood(
            kind: .priorities, bound: limits.priorities,
            bytes: { _ in HTTP2Wire.frame(0x2, stream: 1, [0, 0, 0, 0, 1]) }, name: "old"),
        Flood(
            kind: .priorities, bound: limits.priorities,
            bytes: { _ in HTTP2Wire.frame(0x10, [0, 0, 0, 1, 0x75]) }, name: "new"),
        Flood(kind: .otherFrames, bound: limits.otherFrames) { _ in HTTP2Wire.frame(0xEE) },
        Flood(
            kind: .emptyFrames, bound: limits.emptyFrames,
            bytes: { index in
                (index == 0 ? HTTP2Wire.get(1, flags: 4) : [])
                    + HTTP2Wire.frame(0x0, stream: 1)
            }, name: "DATA"),
        Flood(
            kind: .emptyFrames, bound: limits.emptyFrames,
            bytes: { index in
                (index == 0 ? HTTP2Wire.get(1, flags: 4) : [])
                    + HTTP2Wire.frame(0x0, flags: 8, stream: 1, [2, 0, 0])
            }, name: "padding"),
        // Requests without a path.
        Flood(kind: .provokedResets, bound: limits.provokedResets) { index in
            let block = [0x82, 0x87] + HTTP2Wire.getBlock[3...]
            return HTTP2Wire.frame(0x1, flags: 5, stream: 2 * index + 1, Array(block))
        },
    ]

    @Test("A flood ends the connection with ENHANCE_YOUR_CALM at its limit", arguments: floods)
    func bound(_ flood: Flood) throws {
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.opening)
        for index in 0..<Int32(flood.bound) {
            server.receive(flood.bytes(index))
            _ = server.output()
        }
        #expect(server.failure == nil)
        server.receive(flood.bytes(Int32(flood.bound)))
        let last = server.output()
        #expect(server.failure == .flood(flood.kind))
        // GOAWAY: its last eight bytes are the last stream and the code.
        #expect(last.suffix(4) == [0, 0, 0, 0xB] && server.session.isFinished)
    }

    @Test("The same frames, spread over time, are no flood", arguments: floods)
    func slow(_ flood: Flood) throws {
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.opening)
        for index in 0..<Int32(3 * flood.bound) {
            server.now += .seconds(10) / (flood.bound - 1)
            server.receive(flood.bytes(index))
            _ = server.output()
        }
        #expect(server.failure == nil)
    }

    @Test("A head in more frames than necessary is a flood", arguments: [0, 1, 10])
    func continuations(size: Int) throws {
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.opening + HTTP2Wire.get(1, flags: 1))
        let piece = HTTP2Wire.frame(0x9, stream: 1, [UInt8](repeating: 0x82, count: size))
        for _ in 0..<4 { server.receive(piece) }
        #expect(server.failure == nil && server.session.isInHead)
        server.receive(piece)
        #expect(server.failure == .flood(.continuations))
    }

    @Test("A head that is long on the wire is a flood, even in few frames")
    func headerBlock() throws {
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.opening + HTTP2Wire.get(1, flags: 1))
        let piece = HTTP2Wire.frame(0x9, stream: 1, [UInt8](repeating: 0x90, count: 16_384))
        for _ in 0..<3 { server.receive(piece) }
        #expect(server.failure == nil)
        server.receive(piece)
        #expect(server.failure == .flood(.continuations))
    }

    @Test("A small head that decodes to a huge one costs no memory")
    func bomb() throws {
        var server = try HTTP2Server()
        server.answerAll()
        // A field of 4,000 bytes enters the table, and then one byte stands for all of it.
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: 3900)
        let literal: [UInt8] = [0x40, 0x01, UInt8(ascii: "a"), 0x7F, 0xBD, 0x1D] + value
        let block =
            HTTP2Wire.getBlock + literal
            + [UInt8](repeating: 0xBE, count: 16_384 - 3906 - 6)
        server.receive(HTTP2Wire.opening)
        server.receive(HTTP2Wire.frame(0x1, flags: 5, stream: 1, block))
        #expect(server.refusals == [.headTooLarge])
        #expect(server.session.head.bytes.count <= HTTPLimits().headBytes)
    }

    @Test("Streams beyond the hundred that are allowed are refused, the others served")
    func tooManyStreams() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        for _ in 0..<150 { client.get() }
        // All of them are sent before the client knows the limit.
        server.receive(client.output())
        #expect(server.heads.count == 100)
        client.receive(server.output())
        let refused = client.answers.values.filter { $0.closed == .refusedStream }
        #expect(refused.count == 50)
        #expect(server.failure == nil)
    }

    @Test("A peer that reads big answers may enlarge its window often")
    func windowUpdates() throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 1, count: 60_000))
        let client = HTTP2Client()
        for _ in 0..<400 {
            client.get()
            server.talk(with: client)
        }
        #expect(server.failure == nil)
        #expect(client.answers.values.allSatisfy { $0.body.count == 60_000 })
    }

    @Test("A client may enlarge the window of each of its streams, whatever the answers")
    func windowOfEachStream() throws {
        var server = try HTTP2Server()
        server.answerAll()
        server.receive(HTTP2Wire.opening)
        for index in 0..<Int32(5_000) {
            let update = HTTP2Wire.frame(0x8, stream: 2 * index + 1, [0, 0x10, 0, 0])
            server.receive(HTTP2Wire.get(2 * index + 1) + update)
            _ = server.output()
        }
        #expect(server.failure == nil && server.heads.count == 5_000)
    }

    @Test("Output that a peer causes while it does not read stays small")
    func unread() throws {
        var server = try HTTP2Server()
        server.receive(HTTP2Wire.opening)
        for second in 0..<3600 {
            server.now = .seconds(second)
            for _ in 0..<9 {
                server.receive(HTTP2Wire.frame(0x6, [UInt8](repeating: 0, count: 8)))
            }
        }
        #expect(server.failure == .flood(.pings))
        let output = server.output()
        #expect(output.count < 20_000)
    }
}
