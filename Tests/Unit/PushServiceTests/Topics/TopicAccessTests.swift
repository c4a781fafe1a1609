import API
import Base
import Foundation
import Testing
import WebPush

@testable import Mailbox
@testable import PushService
@testable import Topics

@Suite("What names and tokens of topics open, until they end")
struct TopicAccessTests {
    private let fixture: PushFixture
    private let bearer: String
    private let topic: MadeRegistration

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
        let answer = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"script","account":"news","trust_clear":true,"#
                + #""topic":{"secret":true,"secret_read":true}}"#)
        topic = try #require(MadeRegistration(json: answer.body))
    }

    private func name(_ address: String?) throws -> String {
        String(try #require(address?.split(separator: "/").last))
    }

    private func status(
        _ method: String, _ path: String, _ bearer: String? = nil
    ) throws -> Int {
        let body = method == "GET" ? nil : Array("text".utf8)
        return try fixture.request(
            method, path, PushFixture.authorization(bearer), body: body
        ).status
    }

    private func addToken(_ members: String) throws -> ListedToken {
        let answer = try fixture.api("POST", "tokens", bearer: bearer, #"{"name":"a"\#(members)}"#)
        return try #require(ListedToken(json: answer.body))
    }

    @Test("A secret name for reading reads, and tells no other name; a rotation ends it")
    func readingName() throws {
        let reading = try name(topic.topic?.readingAddress)
        let writing = try name(topic.topic?.secretAddress)
        try fixture.publish("one", to: "news", bearer)
        let reader = try fixture.follow("/\(reading)/json?since=all", nil)
        let first = try reader.object()
        #expect(first["message"] as? String == "one" && first["topic"] as? String == reading)
        #expect(try status("PUT", "/\(writing)") == 200)
        #expect(try reader.texts(1) == ["text"])
        #expect(try status("PUT", "/\(reading)") == 403)
        #expect(try status("GET", "/\(writing)/json?poll=1") == 403)
        #expect(try status("GET", "/news/json?poll=1") == 403)
        let own = try fixture.follow("/news/json", bearer)
        let rotation = try fixture.api(
            "POST", "registrations/\(topic.id)/rotate", bearer: bearer)
        #expect(rotation.status == 200)
        #expect(reader.line() == nil)
        #expect(try status("GET", "/\(reading)/json?poll=1") == 403)
        let rotated = try name(MadeRegistration(json: rotation.body)?.topic?.readingAddress)
        #expect(try status("GET", "/\(rotated)/json?poll=1") == 200)
        try fixture.publish("two", to: "news", bearer)
        #expect(try own.texts(1) == ["two"])
    }

    @Test("A token that is deleted ends its streams within a second, and no others")
    func deleted() throws {
        let made = try addToken("")
        let kept = try fixture.addToken(.read)
        let reader = try fixture.follow("/news/json", made.token)
        let other = try fixture.follow("/news/json", kept.text)
        let began = ContinuousClock.now
        #expect(try fixture.api("DELETE", "tokens/\(made.id)", bearer: bearer).status == 204)
        #expect(reader.line() == nil)
        #expect(ContinuousClock.now - began < .seconds(1))
        #expect(try status("GET", "/news/json?poll=1", made.token) == 401)
        try fixture.publish("next", to: "news", bearer)
        #expect(try other.texts(1) == ["next"])
    }

    @Test("A token that expires ends its streams within a second")
    func expired() throws {
        let made = try addToken(#","expires":1"#)
        let end = try #require(made.expires)
        let reader = try fixture.follow("/news/json", made.token)
        #expect(reader.line() == nil)
        #expect(Date().timeIntervalSince1970 < Double(end) + 1.5)
        #expect(try status("GET", "/news/json?poll=1", made.token) == 401)
    }

    @Test("A token for a topic ends with it, and its streams do")
    func topicRemoved() throws {
        let made = try addToken(#","registration":"\#(topic.id)""#)
        let reader = try fixture.follow("/news/json", made.token)
        #expect(try status("PUT", "/other", made.token) == 403)
        #expect(
            try fixture.api("DELETE", "registrations/\(topic.id)", bearer: bearer).status == 204)
        #expect(reader.line() == nil)
        #expect(try status("GET", "/news/json?poll=1", made.token) == 401)
        #expect(try status("PUT", "/news", made.token) == 401)
    }
}
