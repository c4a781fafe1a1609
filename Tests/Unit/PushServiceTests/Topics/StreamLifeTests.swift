import Base
import Foundation
import TestSupport
import Testing
import Topics

@testable import HTTP
@testable import Mailbox
@testable import PushService

@Suite("The life of streams of topics")
struct StreamLifeTests {
    private static func numbers(_ range: Range<Int>) -> [String] { range.map { "\($0)" } }

    @Test("What is committed while a reader replays comes once, in its order")
    func gate() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        for text in Self.numbers(0..<5) { try fixture.publish(text, to: "news", bearer) }
        let loads = fixture.gate.count(of: .load)
        fixture.gate.shut(.load)
        let reader = try StreamReader.asking(fixture, "/news/json?since=all", bearer)
        #expect(fixture.gate.await(.load, loads + 1))
        for text in Self.numbers(5..<9) { try fixture.publish(text, to: "news", bearer) }
        fixture.gate.open()
        let answer = try reader()
        #expect(try answer.object()["event"] as? String == "open")
        #expect(try answer.texts(9) == Self.numbers(0..<9))
        try fixture.publish("9", to: "news", bearer)
        #expect(try answer.texts(1) == ["9"])
    }

    @Test("Readers who come while much is published get each message once, in one order")
    func concurrent() throws {
        let fixture = try PushFixture { $0.loops = 2 }
        let bearer = try fixture.addCredential()
        try fixture.publish("first", to: "news", bearer)
        fixture.startPublishing(100, byEachOf: 3, bearer)
        let readers = try (0..<20).map { _ in
            try fixture.follow("/news/json?since=all", bearer)
        }
        let orders = try readers.map { try $0.texts(301) }
        #expect(Set(orders).count == 1)
        #expect(Set(orders[0]).count == 301)
        #expect(try fixture.poll("news", bearer) == orders[0])
    }

    @Test("A reader who comes back after a restart goes on where it was")
    func restart() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let reader = try fixture.follow("/news/json", bearer)
        try fixture.publish("a", to: "news", bearer)
        let last = try #require(try reader.object()["id"] as? String)
        try fixture.publish("b", to: "news", bearer)
        try fixture.restart()
        try fixture.publish("c", to: "news", bearer)
        let again = try fixture.follow("/news/json?since=\(last)", bearer)
        #expect(try again.texts(2) == ["b", "c"])
    }

    @Test("A reader who names a message that only another node may have waits for it")
    func lag() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("old", to: "news", bearer)
        // From now on the store is one of several.
        #expect(fixture.store.index.begin(NumberBlock(number: 2)))
        let (late, unknown) = (TopicMessageID(number: 77), TopicMessageID(number: 78))
        let loads = fixture.gate.count(of: .load)
        let reader = try StreamReader.asking(fixture, "/news/json?since=\(late.text)", bearer)
        #expect(fixture.gate.await(.load, loads + 1))
        try fixture.post("known", as: late, to: "news")
        try fixture.post("next", as: TopicMessageID(number: 79), to: "news")
        let answer = try reader()
        #expect(try answer.object()["event"] as? String == "open")
        #expect(try answer.texts(1) == ["next"])
        let began = ContinuousClock.now
        #expect(
            try fixture.poll("news", "&since=\(unknown.text)", bearer) == ["old", "known", "next"])
        #expect(ContinuousClock.now - began > .seconds(1))
    }

    @Test("The end of a token ends its streams within a second, in every form")
    func tokenEnds() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("made", to: "news", bearer)
        let (removed, kept) = (try fixture.addToken(.read), try fixture.addToken(.read))
        let reader = try fixture.follow("/news/json", removed.text)
        let socket = try fixture.socket("/news/ws", removed.text)
        let other = try fixture.follow("/news/json", kept.text)
        _ = try socket.next()
        let began = ContinuousClock.now
        fixture.removeToken(removed.row)
        #expect(reader.line() == nil)
        #expect(socket.closing().hasPrefix("1000"))
        #expect(ContinuousClock.now - began < .seconds(1))
        try fixture.publish("next", to: "news", bearer)
        #expect(try other.texts(1) == ["next"])
    }

    @Test("A token that is over ends its streams, too")
    func tokenIsOver() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("made", to: "news", bearer)
        let end = Int64(Date().timeIntervalSince1970) + 2
        let token = try fixture.addToken(.read, end: end).text
        let reader = try fixture.follow("/news/json", token)
        #expect(reader.line() == nil)
        let now = Date().timeIntervalSince1970
        #expect(now >= Double(end) && now < Double(end) + 2.5)
    }

    @Test("A reader who does not read delays nobody, and misses nothing")
    func stalled() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let (stalled, reader) = (
            try fixture.follow("/news/json", bearer), try fixture.follow("/news/json", bearer)
        )
        // More than the kernel takes.
        let long = " " + String(repeating: "x", count: 4_000)
        fixture.startPublishing(400, byEachOf: 4, bearer, ending: long)
        let texts = try reader.texts(1_600)
        #expect(Set(texts).count == 1_600)
        // What did not fit waits in the store.
        let loads = fixture.gate.count(of: .load)
        #expect(try stalled.texts(1_600) == texts)
        #expect(fixture.gate.count(of: .load) > loads)
    }

    @Test("A thousand streams on one loop all get what comes, and wait in little memory")
    func thousand() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let first = try (0..<100).map { _ in try fixture.follow("/news/json", bearer) }
        let before = try OwnMemory.resident()
        let readers = first + (try (0..<900).map { _ in try fixture.follow("/news/json", bearer) })
        let each = (try OwnMemory.resident() - before) / 900
        if !OwnMemory.isSanitized { #expect(each < 16_384) }
        try fixture.publish("all", to: "news", bearer)
        for reader in readers { #expect(try reader.texts(1) == ["all"]) }
    }

    @Test("A silent stream says that it lives")
    func keepalive() throws {
        let fixture = try PushFixture { plan in plan.settings = { $0.streamSilence = 1 } }
        let bearer = try fixture.addCredential()
        let reader = try fixture.follow("/news/json", bearer)
        let raw = try fixture.stream("/news/raw", bearer)
        let socket = try fixture.socket("/news/ws", bearer)
        _ = try socket.next()
        for _ in 0..<2 {
            let event = try reader.object()
            #expect(event["event"] as? String == "keepalive")
            #expect(event["topic"] as? String == "news")
        }
        #expect(raw.line() == "" && raw.line() == "")
        #expect(socket.socket.frame()?.opcode == 9)
    }

    @Test("A long frame of a client ends its stream, and a short one is ignored")
    func clientFrames() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let socket = try fixture.socket("/news/ws", bearer)
        _ = try socket.next()
        socket.send(String(repeating: "x", count: 64))
        try fixture.publish("still", to: "news", bearer)
        #expect(try socket.members()["message"] as? String == "still")
        socket.send(String(repeating: "x", count: 65))
        #expect(socket.closing().hasPrefix("1009"))
    }

    @Test("A reader is refused while the store cannot be read, and comes back later")
    func unreadable() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("a", to: "news", bearer)
        fixture.gate.doom(.load)
        for path in ["/news/json", "/news/json?poll=1", "/news/json?since=all"] {
            let answer = try fixture.stream(path, bearer).answer
            #expect(answer.status == 500 && answer["retry-after"] != nil)
        }
        fixture.gate.doom()
        #expect(try fixture.poll("news", bearer) == ["a"])
    }
}

extension StreamReader {
    /// Sends the request now, and reads the head of the answer when it is called.
    static func asking(
        _ fixture: PushFixture, _ path: String, _ bearer: String
    ) throws -> () throws -> StreamReader {
        let socket = try ByteSocket(port: fixture.port)
        socket.send(
            PushFixture.bytes("GET", path, PushFixture.authorization(bearer), body: nil))
        return { StreamReader(socket) }
    }
}

extension PushFixture {
    /// Senders publish so many texts each to the topic `news`, all at the same time.
    fileprivate func startPublishing(
        _ count: Int, byEachOf senders: Int, _ bearer: String, ending end: String = ""
    ) {
        let port = port
        for sender in 0..<senders {
            Thread {
                guard let socket = try? ByteSocket(port: port) else { return }
                for index in 0..<count {
                    socket.send(
                        PushFixture.bytes(
                            "PUT", "/news", PushFixture.authorization(bearer),
                            body: Array("\(sender)-\(index)\(end)".utf8)))
                    _ = HTTPAnswer(from: socket)
                }
            }.start()
        }
    }
}
