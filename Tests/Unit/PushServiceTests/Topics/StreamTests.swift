import Base
import Foundation
import TestSupport
import Testing
import Topics

@testable import Mailbox
@testable import PushService

@Suite("Streams of topics")
struct StreamTests {
    @Test("Each form says that it is open, and then what comes, once it is committed")
    func forms() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let json = try fixture.stream("/news/json", bearer)
        #expect(json.answer["content-type"] == "application/x-ndjson; charset=utf-8")
        #expect(json.answer["access-control-allow-origin"] == "*")
        let open = try json.object()
        #expect(open["event"] as? String == "open" && open["topic"] as? String == "news")
        #expect((open["id"] as? String)?.count == 12 && open["time"] is Int)
        let events = try fixture.stream("/news/sse", bearer)
        #expect(events.answer["content-type"] == "text/event-stream; charset=utf-8")
        #expect(events.line() == "event: open")
        #expect(events.line()?.hasPrefix(#"data: {"id":""#) == true && events.line() == "")
        let raw = try fixture.stream("/news/raw", bearer)
        #expect(raw.answer["content-type"] == "text/plain; charset=utf-8")
        #expect(raw.line() == "")
        let socket = try fixture.socket("/news/ws", bearer)
        #expect(try socket.members()["event"] as? String == "open")

        let id = try fixture.publish("one\ntwo", to: "news", bearer)
        let message = try json.object()
        #expect(message["id"] as? String == id && message["event"] as? String == "message")
        #expect(message["topic"] as? String == "news" && message["sequence_id"] == nil)
        #expect(events.line()?.hasPrefix(#"data: {"id":"\#(id)""#) == true)
        #expect(events.line() == "")
        #expect(raw.line() == "one two")
        #expect(try socket.members()["sequence_id"] as? String == id)
    }

    @Test("A poll has what is stored and ends; one that has nothing is empty")
    func poll() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        #expect(try fixture.poll("news", bearer) == [])
        for text in ["a", "b"] { try fixture.publish(text, to: "news", bearer) }
        #expect(try fixture.poll("news", bearer) == ["a", "b"])
        #expect(try fixture.poll("news", "&since=none", bearer) == [])
        #expect(try fixture.poll("news", "&since=latest", bearer) == ["b"])
        let raw = try fixture.stream("/news/raw?poll=yes", bearer)
        #expect(raw.lines() == ["a", "b"])
    }

    @Test("A stream begins after the message that it names, or at a time")
    func since() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let ids = try ["a", "b", "c"].map { try fixture.publish($0, to: "news", bearer) }
        #expect(try fixture.follow("/news/json?since=\(ids[0])", bearer).texts(2) == ["b", "c"])
        #expect(try fixture.follow("/news/json?since=all", bearer).texts(3) == ["a", "b", "c"])
        #expect(try fixture.follow("/news/json?since=10m", bearer).texts(3) == ["a", "b", "c"])
        #expect(try fixture.poll("news", "&since=unknown12345", bearer) == ["a", "b", "c"])
        let next = try fixture.follow("/news/json", bearer)
        try fixture.publish("d", to: "news", bearer)
        #expect(try next.texts(1) == ["d"])
    }

    @Test("Several topics come in the order in which they were stored, under the names as given")
    func several() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let reader = try fixture.stream("/two,one/json", bearer)
        #expect(try reader.object()["topic"] as? String == "two,one")
        for index in 0..<6 {
            try fixture.publish("\(index)", to: index % 2 == 0 ? "one" : "two", bearer)
        }
        try fixture.publish("other", to: "three", bearer)
        try fixture.publish("last", to: "two", bearer)
        let objects = try (0..<7).map { _ in try reader.object() }
        #expect(
            objects.map { $0["message"] as? String } == ["0", "1", "2", "3", "4", "5", "last"])
        #expect(objects.prefix(2).map { $0["topic"] as? String } == ["one", "two"])
        #expect(try fixture.poll("one,two", bearer).count == 7)
    }

    @Test("Filters hold for what is stored and for what comes")
    func filters() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("loud", to: "news", bearer, [("Priority", "5"), ("Tags", "a,b")])
        try fixture.publish("quiet", to: "news", bearer, [("Title", "T")])
        #expect(try fixture.poll("news", "&priority=high,5", bearer) == ["loud"])
        #expect(try fixture.poll("news", "&prio=3", bearer) == ["quiet"])
        #expect(try fixture.poll("news", "&tags=b,a", bearer) == ["loud"])
        #expect(try fixture.poll("news", "&title=T", bearer) == ["quiet"])
        let reader = try fixture.follow("/news/json?message=wanted&since=all", bearer)
        for text in ["other", "wanted"] { try fixture.publish(text, to: "news", bearer) }
        #expect(try reader.texts(1) == ["wanted"])
    }

    @Test("What is not due yet comes behind the rest, for those who ask for it")
    func scheduled() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try fixture.publish("later", to: "news", bearer, [("Delay", "2h")])
        try fixture.publish("soon", to: "news", bearer, [("Delay", "1h")])
        let last = try fixture.publish("now", to: "news", bearer)
        #expect(try fixture.poll("news", bearer) == ["now"])
        #expect(try fixture.poll("news", "&sched=1", bearer) == ["now", "soon", "later"])
        #expect(try fixture.poll("news", "&sched=1&since=\(last)", bearer) == ["soon", "later"])
        let reader = try fixture.follow("/news/json?since=all&scheduled=1", bearer)
        #expect(try reader.texts(3) == ["now", "soon", "later"])
        try fixture.publish("next", to: "news", bearer)
        #expect(try reader.texts(1) == ["next"])
    }

    @Test("What is missing in a replay is said in the head of the answer")
    func truncated() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.growth.topicHistory.count = 3 }
        }
        let bearer = try fixture.addCredential()
        let ids = try (0..<5).map { try fixture.publish("\($0)", to: "news", bearer) }
        let poll = try fixture.stream("/news/json?poll=1", bearer)
        #expect(poll.answer["x-messages-truncated"] == "1" && poll.lines().count == 3)
        let late = try fixture.stream("/news/json?since=\(ids[2])", bearer)
        #expect(late.answer["x-messages-truncated"] == nil)
        let socket = try fixture.socket("/news/ws?since=all", bearer)
        #expect(socket.answer["x-messages-truncated"] == "1")
    }

    @Test("A reader without the right is refused as ntfy refuses it")
    func refusals() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let writer = try fixture.addToken(.write).text
        let other = try fixture.addToken(.read, "other*").text
        func code(_ path: String, _ bearer: String?) throws -> String {
            let answer = try fixture.request("GET", path, PushFixture.authorization(bearer))
            #expect(answer["content-type"] == "application/json")
            #expect(answer["access-control-allow-origin"] == "*")
            let object = try JSONSerialization.jsonObject(with: Data(answer.body))
            return "\(answer.status)/\((object as? [String: Any])?["code"] ?? "-")"
        }
        #expect(try code("/news/json?since=yesterday", bearer) == "400/40008")
        #expect(try code("/news/json?priority=9", bearer) == "400/40007")
        #expect(try code("/news/ws", bearer) == "400/40016")
        #expect(try code("/news/json", nil) == "403/40301")
        #expect(try code("/news/json", writer) == "403/40301")
        #expect(try code("/news/json", other) == "403/40301")
        #expect(try code("/other1,news/json", other) == "403/40301")
        #expect(try code("/news/json", "tk_" + String(repeating: "a", count: 29)) == "401/40101")
        #expect(try code("/v1/json", bearer) == "400/40010")

        #expect(throws: UserAgent.Refused.self) { try fixture.socket("/news/ws", writer) }
        let socket = try ByteSocket(port: fixture.port)
        socket.send(
            PushFixture.bytes(
                "GET", "/news/ws", [("Upgrade", "websocket"), ("Connection", "Upgrade")],
                body: nil))
        let answer = HTTPAnswer(from: socket)
        #expect(answer.status == 403 && answer.body.isEmpty)
    }

    @Test("Who may make a topic makes it by reading it; a token that only reads does not")
    func making() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let reader = try fixture.follow("/fresh,other/json", bearer)
        let token = try fixture.addToken(.read).text
        let answer = try fixture.request("GET", "/unmade/json", PushFixture.authorization(token))
        #expect(answer.status == 403)
        let second = try fixture.follow("/fresh/json", token)
        try fixture.publish("first", to: "fresh", bearer)
        #expect(try reader.texts(1) == ["first"] && second.texts(1) == ["first"])
    }

    @Test("The end of a topic ends its streams")
    func topicEnds() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let reader = try fixture.follow("/news/json", bearer)
        try fixture.publish("last", to: "news", bearer)
        #expect(try reader.texts(1) == ["last"])
        let answer = try fixture.api("GET", "registrations", bearer: bearer)
        let all = try #require(try answer.object()["registrations"] as? [[String: Any]])
        let id = try #require(all.first?["id"] as? String)
        #expect(try fixture.api("DELETE", "registrations/\(id)", bearer: bearer).status == 204)
        #expect(reader.line() == nil)
    }
}
