import Foundation
import System
import TestSupport
import Testing

@testable import HTTP

@Suite("Answers that are streams, by HTTP/2")
struct HTTP2StreamTests {
    @Test("Many streams share a connection, and each gets what is written to it")
    func many() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let reader = try fixture.reader2()
        let streams = (0..<100).map { reader.get("/\($0)") }
        #expect(reader.read("/99\n", of: streams[99]))
        fixture.with { $0.say("a\n", "b\n") }
        fixture.with { $0.say("c\n", to: 7) }
        #expect(reader.read("/7\na\nb\nc\n", of: streams[7]))
        #expect(reader.text(of: streams[98]) == "/98\na\nb\n")
        let fields = try #require(reader.client.answers[streams[0]]?.fields)
        #expect(fields.contains("content-type=text/plain"))
        #expect(!fields.contains { $0.hasPrefix("content-length") || $0.hasPrefix("transfer") })
        fixture.with { $0.end() }
        #expect(reader.read { $0.answers.values.allSatisfy { $0.closed == .noError } })
        let poll = reader.get("/poll")
        #expect(reader.read { $0.answers[poll]?.closed == .noError })
        #expect(reader.text(of: poll) == "one\ntwo\n")
    }

    @Test("What is written in one turn leaves in one write")
    func oneWrite() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let reader = try fixture.reader2()
        let streams = [reader.get("/a"), reader.get("/b")]
        #expect(reader.read("/b\n", of: streams[1]))
        fixture.with { $0.say("1\n", "2\n") }
        var turns = 0
        #expect(
            reader.read { _ in
                turns += 1
                return reader.text(of: streams[1]) == "/b\n1\n2\n"
            })
        #expect(turns == 2 && reader.text(of: streams[0]) == "/a\n1\n2\n")
    }

    @Test("HEAD gets the head")
    func head() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let reader = try fixture.reader2()
        let id = reader.client.request(HTTP2Client.head("HEAD", "/a"))
        reader.send()
        #expect(reader.read { $0.answers[id]?.closed == .noError })
        #expect(reader.client.answers[id]?.status == "200" && reader.text(of: id).isEmpty)
        #expect(fixture.next() == .refused("/a"))
    }

    @Test("A reader that resets its stream, leaves, or is gone, is noticed")
    func gone() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        do {
            let reader = try fixture.reader2()
            let streams = (0..<3).map { reader.get("/\($0)") }
            #expect(reader.read("/2\n", of: streams[2]))
            _ = (0..<3).map { _ in fixture.next() }
            reader.client.reset(streams[1])
            reader.send()
            #expect(fixture.next() == .closed)
            fixture.with { $0.say("x\n") }
            #expect(reader.read("/2\nx\n", of: streams[2]))
            #expect(reader.read("/0\nx\n", of: streams[0]))
            #expect(fixture.ask { $0.streams.count } == 2)
        }
        #expect(fixture.next() == .closed && fixture.next() == .closed)
        let leaving = try fixture.reader2()
        let stream = leaving.get("/a")
        #expect(leaving.read("/a\n", of: stream))
        leaving.client.leave()
        leaving.send()
        #expect(leaving.read { $0.answers[stream]?.closed == .noError })
        #expect(fixture.next() == .opened("/a") && fixture.next() == .closed)
    }

    @Test("A stream whose reader does not read is reset when too much waits; others go on")
    func flooded() throws {
        let terms = HTTPStreamTerms(congestion: 10_000, outputLimit: 50_000)
        let fixture = try StreamFixture(terms, isEncrypted: true)
        let reader = try fixture.reader2(window: 1_000, opensWindow: false)
        let streams = [reader.get("/deaf"), reader.get("/b")]
        #expect(reader.read("/b\n", of: streams[1]))
        _ = (fixture.next(), fixture.next())
        fixture.with { hall in
            for _ in 0..<6 { hall.say(String(repeating: "x", count: 10_000), to: 0) }
        }
        #expect(fixture.next() == .closed)
        #expect(reader.read { $0.answers[streams[0]]?.closed == .cancel })
        #expect(reader.text(of: streams[0]).utf8.count == 1_000)
        fixture.with { $0.say("for you\n") }
        #expect(reader.read("/b\nfor you\n", of: streams[1]))
    }

    @Test("A congested stream says when all was sent")
    func drained() throws {
        let terms = HTTPStreamTerms(congestion: 10_000, outputLimit: 50_000)
        let fixture = try StreamFixture(terms, isEncrypted: true)
        let reader = try fixture.reader2(window: 1_000, opensWindow: false)
        let stream = reader.get("/a")
        #expect(fixture.next() == .opened("/a"))
        fixture.with { $0.say(String(repeating: "x", count: 20_000)) }
        #expect(reader.read { $0.answers[stream]?.body.count == 1_000 })
        #expect(fixture.ask { $0.streams[0].isCongested } == true)
        #expect(fixture.ask { $0.streams[0].bufferedBytes } == 19_003)
        reader.client.openWindow(of: stream, by: 50_000)
        reader.send()
        #expect(reader.read { $0.answers[stream]?.body.count == 20_003 })
        #expect(fixture.next() == .drained)
        #expect(fixture.ask { $0.streams[0].isCongested } == false)
    }

    @Test("A long body is written as fast as it is read")
    func long() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let reader = try fixture.reader2()
        let stream = reader.get("/fill")
        #expect(reader.read { $0.answers[stream]?.closed == .noError })
        #expect(reader.client.answers[stream]?.body.count == StreamHall.fillBytes + 6)
        #expect(fixture.next() == .opened("/fill") && fixture.next() == .filled)
    }

    @Test("A reader that takes nothing is given up, and a waiting one is not")
    func patience() throws {
        var limits = HTTPService.Limits()
        limits.patience2.idle = .milliseconds(250)
        limits.patience2.head = .milliseconds(250)
        limits.patience2.body = .milliseconds(250)
        limits.patience2.answer = .milliseconds(250)
        limits.patience2.rest = .milliseconds(10)
        let terms = HTTPStreamTerms(patience: .milliseconds(700))
        let fixture = try StreamFixture(terms, limits: limits, isEncrypted: true)
        let reader = try fixture.reader2(window: 1_000, opensWindow: false)
        let streams = [reader.get("/deaf"), reader.get("/b")]
        #expect(reader.read("/b\n", of: streams[1]))
        _ = (fixture.next(), fixture.next())
        fixture.with { $0.say(String(repeating: "x", count: 2_000), to: 0) }
        #expect(fixture.next() == .closed)
        #expect(reader.read { $0.answers[streams[0]]?.closed == .cancel })
        fixture.with { $0.say("still there\n") }
        #expect(reader.read("/b\nstill there\n", of: streams[1]))
    }

    @Test("A server that stops ends its streams and then the connection")
    func stopped() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let readers = try (0..<10).map { _ in try fixture.reader2() }
        for reader in readers {
            let streams = (0..<100).map { reader.get("/\($0)") }
            #expect(reader.read("/99\n", of: streams[99]))
        }
        fixture.with { $0.say("to all\n") }
        #expect(fixture.end(within: .seconds(60)) == [.drained])
        for reader in readers {
            #expect(!reader.read { _ in false })
            let answers = reader.client.answers.values
            #expect(answers.allSatisfy { $0.closed == .noError })
            #expect(answers.allSatisfy { $0.body.suffix(7).elementsEqual("to all\n".utf8) })
        }
        let events = (0..<2_000).map { _ in fixture.next() }
        #expect(events.count { $0 == .closed } == 1_000)
    }
}

@Suite("Streams of HTTP/2 with generated events")
struct HTTP2StreamPropertyTests {
    /// What was written to each stream.
    private struct Model {
        var written: [Int32: [UInt8]] = [:]
        var open: [Int32] = []
        var next = UInt8(0)

        mutating func bytes(_ count: Int, to stream: Int32) -> [UInt8] {
            let bytes = (0..<count).map { next &+ UInt8(truncatingIfNeeded: $0) }
            next &+= UInt8(truncatingIfNeeded: count)
            written[stream, default: []] += bytes
            return bytes
        }
    }

    @Test("Each reader gets what was written to it, whatever the windows", arguments: 0..<10)
    func exact(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var server = try HTTP2Server()
        server.answers = { session, stream in
            #expect(session.beginStream(stream, ResponseHead(status: 200)))
        }
        let client = HTTP2Client(window: 500, opensWindow: false)
        var model = Model()
        for _ in 0..<300 {
            happen(&model, &server, client, &random)
            for (stream, written) in model.written {
                let body = try #require(client.answers[stream]?.body)
                let waiting = server.session.waitingBytes(of: stream)
                #expect(written.starts(with: body) && body.count + waiting <= written.count)
            }
        }
        for stream in model.open { server.session.end(stream) }
        client.openWindow(of: 0, by: 1 << 30)
        for stream in model.open { client.openWindow(of: stream, by: 1 << 20) }
        server.talk(with: client)
        for stream in model.open {
            #expect(client.answers[stream]?.body == model.written[stream, default: []])
            #expect(client.answers[stream]?.closed == .noError)
        }
        #expect(server.session.openStreams == 0 && server.failure == nil)
    }

    private func happen(
        _ model: inout Model, _ server: inout HTTP2Server, _ client: HTTP2Client,
        _ random: inout SeededGenerator
    ) {
        let stream = model.open.randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), stream) {
        case (0, _) where model.open.count < 50:
            model.open.append(client.get())
            server.talk(with: client)
        case (1, let stream?):
            client.openWindow(of: stream, by: Int32.random(in: 1...3_000, using: &random))
            client.openWindow(of: 0, by: 2_000)
        case (2, let stream?) where Int.random(in: 0..<5, using: &random) == 0:
            client.reset(stream)
            model.open.removeAll { $0 == stream }
            model.written[stream] = nil
        case (3, _): server.session.rest()
        case (4, _): server.talk(with: client)
        case (5, _): client.receive(server.output(limit: 100))
        case (_, let stream?):
            let count = Int.random(in: 0...1_000, using: &random)
            server.session.write(model.bytes(count, to: stream).span, to: stream)
        default: break
        }
    }
}
