import Base
import Foundation
import Testing
import Topics

@testable import Mailbox
@testable import PushService

@Suite("Dismissed on one screen of an owner")
struct DismissalTests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    /// Makes the topic `t` by the API.
    private func topic(_ rest: String = "") throws -> [String: Any] {
        let terms =
            #"{"token_type":10,"app":"script","account":"t","dialect":"plain","clear":true,"#
            + #""trust_clear":true\#(rest)}"#
        return try fixture.api("POST", "registrations", bearer: bearer, terms).object()
    }

    private func screen() throws -> EngineViewer {
        try EngineViewer(fixture, bearer: bearer, account: "t", app: AccountName.scripts)
    }

    /// Closes the notification with this text.
    private func close(_ text: String, on screen: EngineViewer) throws {
        for (group, shown) in screen.screen {
            for (id, known) in shown where known == text {
                try screen.ask(
                    #"{"@type":"removeNotification","notification_group_id":\#(group),"#
                        + #""notification_id":\#(id)}"#)
            }
        }
    }

    @Test("It leaves the others, and the streams of the owner's devices; others are not told")
    func gone() throws {
        let id = try fixture.publish("a", to: "t", bearer)
        try fixture.publish("b", to: "t", bearer)
        let token = try fixture.addToken(.usual)
        let streams = try [bearer, token.text].map { try fixture.follow("/t/json", $0) }
        let screens = try [screen(), screen()]
        try close("a", on: screens[0])
        try screens[1].settle()
        #expect(screens[0].texts == ["b"] && screens[1].texts == ["b"])
        let event = try streams[0].object()
        #expect(event["event"] as? String == "message_clear")
        #expect(event["sequence_id"] as? String == id && event["topic"] as? String == "t")
        // Nothing else came before the next message.
        try fixture.publish("c", to: "t", bearer)
        #expect(try streams.map { try $0.texts(1) } == [["c"], ["c"]])
        #expect(try fixture.history("t").map(\.kind) == [.message, .message, .dismissal, .message])
    }

    @Test("A screen and a stream that were away are told, also after a restart")
    func away() throws {
        try fixture.publish("a", to: "t", bearer)
        let last = try fixture.publish("b", to: "t", bearer)
        try close("b", on: try screen())
        try fixture.restart()
        let screen = try screen()
        #expect(screen.texts == ["a"] && screen.appeared.count == 1)
        let token = try fixture.addToken(.usual).text
        let kinds = try [bearer, token].map { reader in
            try fixture.stream("/t/json?poll=1&since=\(last)", reader).lines().map { line in
                try #require(JSONNode(json: Array(line.utf8))?["event"]?.text)
            }
        }
        #expect(kinds == [["message_clear"], []])
        #expect(try fixture.poll("t", "&since=latest", token) == ["b"])
        // The reader goes on behind an event of which it has heard.
        let own = try fixture.stream("/t/json?poll=1", bearer).lines()
        let event = try #require(own.last.flatMap { JSONNode(json: Array($0.utf8)) })
        let place = try #require(event["id"]?.text)
        try fixture.publish("c", to: "t", bearer)
        #expect(try fixture.poll("t", "&since=\(place)", bearer) == ["c"])
        #expect(try fixture.poll("t", "&since=\(last)", token) == ["c"])
    }

    @Test("The device of another owner is no reader of the owner's own")
    func strangers() throws {
        let made = try topic(#","topic":{"secret_read":true}"#)
        let details = try #require(made["topic"] as? [String: Any])
        let reading = try #require(details["reading_address"] as? String)
        let stranger = try fixture.addCredential(owner: "other")
        try fixture.publish("a", to: "t", bearer)
        let streams = try [stranger, nil].map { try fixture.follow("\(reading)/json", $0) }
        try close("a", on: try screen())
        try fixture.publish("b", to: "t", bearer)
        #expect(try streams.map { try $0.object()["event"] as? String } == ["message", "message"])
    }

    @Test("What Gotify's clients delete leaves the screen, one and all")
    func gotify() throws {
        let owner = try GotifyCaller(fixture)
        let application = try owner.makeApplication("t")
        let ids = try ["a", "b", "c"].map { try application.sender.publish($0) }
        let screen = try screen()
        try owner.ask("DELETE", "/message/\(ids[1])")
        try screen.settle()
        #expect(screen.texts == ["a", "c"])
        try owner.ask("DELETE", "/application/\(application.id)/message")
        try screen.settle()
        #expect(screen.texts == [])
        #expect(try fixture.history("t") == [])
    }

    @Test("A push that is taken back by its Location leaves screen, history and streams")
    func location() throws {
        let endpoint = try #require(try topic()["endpoint"] as? String)
        func push(_ text: String, topic: String? = nil) throws -> String {
            let fields = [("TTL", "60")] + (topic.map { [("Topic", $0)] } ?? [])
            let answer = try fixture.request("POST", endpoint, fields, body: Array(text.utf8))
            #expect(answer.status == 201, "\(answer.text)")
            return try #require(answer["location"])
        }
        func withdraw(_ location: String) throws {
            #expect(try fixture.request("DELETE", location).status == 204)
        }
        let screen = try screen()
        let stream = try fixture.follow("/t/json", bearer)
        let (one, former) = (try push("a"), try push("b", topic: "x"))
        let latest = try push("c", topic: "x")
        #expect(try stream.texts(3) == ["a", "b", "c"])
        try withdraw(one)
        try screen.settle()
        #expect(screen.texts == ["c"])
        #expect(try stream.object()["event"] as? String == "message_delete")
        // A later state is there.
        try withdraw(former)
        try screen.settle()
        #expect(screen.texts == ["c"])
        try withdraw(latest)
        try screen.settle()
        #expect(screen.texts == [])
        let event = try stream.object()
        #expect(event["event"] as? String == "message_delete")
        #expect(event["sequence_id"] as? String == "x")
        try withdraw(latest)
        #expect(try fixture.history("t").map(\.kind) == [.delete, .delete])
        // What a service names itself, at a topic's long address.
        let alert = #"{"status":"firing","fingerprint":"f","annotations":{"description":"full"}}"#
        let service = try push(#"{"receiver":"r","groupKey":"g","alerts":[\#(alert)]}"#)
        try screen.settle()
        #expect(screen.texts == ["full"])
        try withdraw(service)
        try screen.settle()
        #expect(screen.texts == [])
        // So do those who are not told that its owner has closed it.
        let token = try fixture.follow("/t/json", try fixture.addToken(.usual).text)
        let read = try push("d")
        try screen.settle()
        try close("d", on: screen)
        try withdraw(read)
        let told = try (0..<2).map { _ in try token.object()["event"] as? String }
        #expect(told == ["message", "message_delete"])
    }
}
