import Testing

@testable import HTTP

@Suite("HTTP/2 flow control and memory")
struct HTTP2FlowTests {
    @Test("An answer waits for a peer that never enlarges its window")
    func closedWindow() throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 1, count: 100_000))
        let client = HTTP2Client(window: 1000, opensWindow: false)
        for _ in 0..<100 { client.get() }
        server.talk(with: client)
        #expect(!server.session.wantsWrite)
        // The window of the connection is 65,535 for all of them together.
        #expect(client.answers.values.map(\.body.count).reduce(0, +) == 65_535)
        let first = try #require(client.answers[1])
        #expect(first.body.count == 1000 && first.closed == nil)
        client.openWindow(of: 0, by: 200_000)
        client.openWindow(of: 1, by: 200_000)
        server.talk(with: client)
        #expect(client.answers[1]?.body.count == 100_000)
    }

    @Test("Output is produced only up to the caller's limit", arguments: [1, 1000, 50_000])
    func mark(limit: Int) throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 1, count: 60_000))
        server.receive(HTTP2Wire.opening + HTTP2Wire.get(1))
        var total = 0
        while server.session.wantsWrite {
            let output = server.output(limit: limit)
            #expect(output.count < limit + 16_384 + 9)
            #expect(!output.isEmpty || !server.session.wantsWrite)
            total += output.count
        }
        #expect(total > 60_000)
    }

    @Test("A peer cannot send more than the window until its bytes are consumed")
    func unconsumed() throws {
        var limits = HTTPLimits()
        limits.bodyBytes = 1_000_000
        var server = try HTTP2Server(limits: limits)
        server.consumesBodies = false
        let client = HTTP2Client()
        let streams = (0..<3).map { _ in
            client.request(
                HTTP2Client.head("POST"), body: [[UInt8](repeating: 1, count: 100_000)])
        }
        server.talk(with: client)
        let held = streams.map { server.body(of: $0).count }
        #expect(held.reduce(0, +) == 65_535)
        for (stream, count) in zip(streams, held) { server.session.consumed(count, on: stream) }
        server.consumesBodies = true
        server.talk(with: client)
        #expect(streams.allSatisfy { server.body(of: $0).count == 100_000 })
    }

    @Test("Dropped bodies do not use up the window")
    func dropped() throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        for _ in 0..<50 {
            let stream = client.request(
                HTTP2Client.head("POST", "/#"), body: [[UInt8](repeating: 1, count: 30_000)])
            server.talk(with: client)
            #expect(client.answers[stream]?.status == "400")
        }
        let last = client.post("/", [UInt8](repeating: 1, count: 60_000))
        server.talk(with: client)
        #expect(client.answers[last]?.status == "201")
    }

    @Test("Frame buffers go back to the slab, and their memory to the system")
    func slab() throws {
        let buffers = HTTP2FrameBuffers()
        var sessions: [HTTP2Session] = []
        for _ in 0..<200 {
            sessions.append(try HTTP2Session(frameBuffers: buffers, at: .zero))
        }
        #expect(buffers.slotsInUse == 200 && buffers.chunkCount == 4)
        sessions.removeSubrange(50..<150)
        #expect(buffers.slotsInUse == 100)
        for _ in 0..<100 {
            sessions.append(try HTTP2Session(frameBuffers: buffers, at: .zero))
        }
        #expect(buffers.slotsInUse == 200 && buffers.chunkCount == 4)
        sessions.removeAll()
        #expect(buffers.slotsInUse == 0 && buffers.chunkCount == 1)
    }

    @Test("Discarding a slot clears it, but not its neighbours")
    func discard() throws {
        let buffers = HTTP2FrameBuffers()
        let slots = (0..<3).compactMap { _ in buffers.take() }
        #expect(Set(slots.map(\.address)).count == 3)
        for slot in slots { slot.address.storeBytes(of: 7, as: UInt8.self) }
        buffers.discard(slots[1])
        #expect(slots.map { $0.address.load(as: UInt8.self) } == [7, 0, 7])
        for slot in slots { buffers.giveBack(slot) }
        let again = try #require(buffers.take())
        #expect(again.address.load(as: UInt8.self) == 0)
        buffers.giveBack(again)
    }

    @Test("A session continues as before after it freed its memory")
    func rest() throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 5, count: 40_000))
        let client = HTTP2Client()
        for round in 0..<3 {
            let stream = client.get("/\(round)", [("a", "b")])
            server.talk(with: client)
            server.session.rest()
            #expect(server.heads.last?.fields == ["a=b"])
            #expect(client.answers[stream]?.body == [UInt8](repeating: 5, count: 40_000))
        }
    }

    @Test("A session with output does not free its memory")
    func restless() throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 5, count: 40_000))
        let client = HTTP2Client()
        let stream = client.get()
        server.receive(client.output())
        while server.session.wantsWrite {
            client.receive(server.output(limit: 1))
            server.session.rest()
        }
        #expect(client.answers[stream]?.body == [UInt8](repeating: 5, count: 40_000))
    }

    @Test("An answer with a head of many frames arrives whole")
    func bigHead() throws {
        var server = try HTTP2Server()
        let value = String(repeating: "\u{1}~", count: 20_000).replacing("\u{1}", with: "^")
        server.answers = { session, stream in
            var head = ResponseHead(status: 200)
            head.fields.append("X-Long", value)
            session.respond(to: stream, head, body: [1])
            session.rest()
        }
        let client = HTTP2Client()
        let stream = client.get()
        server.receive(client.output())
        while server.session.wantsWrite { client.receive(server.output(limit: 1)) }
        #expect(client.answers[stream]?.fields.first == "x-long=" + value)
        #expect(client.answers[stream]?.body == [1])
    }
}
