import Base
import Foundation
import Testing
import Topics
import WebPush

@testable import PushService

@Suite("Webhooks in the place of Slack's and Discord's, at a service")
struct WebhookTests {
    private let fixture: PushFixture
    private let bearer: String
    private static let json: PushFixture.Fields = [("Content-Type", "application/json")]

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
        try fixture.addTopic("builds")
    }

    private func token(_ pattern: String, _ rights: TopicRights = .write) throws -> String {
        try fixture.addToken(rights, pattern).text
    }

    private func send(
        _ path: String, _ body: String, _ fields: PushFixture.Fields = json,
        method: String = "POST"
    ) throws -> HTTPAnswer {
        try fixture.request(method, "/hooks/\(path)", fields, body: Array(body.utf8))
    }

    @Test("A message to Slack is one of the topic: kept, told to readers, and on the screen")
    func slack() throws {
        let token = try token("builds")
        let screen = try EngineViewer(
            fixture, bearer: bearer, account: "builds", app: AccountName.scripts)
        let reader = try fixture.follow("/builds/json", bearer)
        let answer = try send(
            "slack/\(token)", ##"{"channel":"#other","username":"bot","text":"*hi* &amp; bye"}"##)
        #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        #expect(answer["content-type"]?.hasPrefix("text/plain") == true)
        let told = try reader.object()
        #expect(told["message"] as? String == "**hi** & bye" && told["title"] as? String == "bot")
        #expect(told["content_type"] as? String == "text/markdown")
        #expect(try fixture.history("builds").map(\.content.title) == ["bot"])
        #expect(try fixture.device(ofTopic: "other") == nil)
        try screen.settle()
        #expect(screen.texts.count == 1)
    }

    @Test("Discord's senders get no body, or the message as Discord would tell it")
    func discord() throws {
        let token = try token("builds")
        let body = #"{"content":"**hi**","embeds":[{"title":"T","url":"https://a/1"}]}"#
        let answer = try send("discord/\(token)", body)
        #expect(answer.status == 204 && answer.body.isEmpty)
        let told = try send("discord/\(token)?wait=true", body)
        #expect(told.status == 200 && told["content-type"] == "application/json")
        let members = try told.object()
        #expect(members["content"] as? String == "**hi**" && members["type"] as? Int == 0)
        #expect(UInt64(members["id"] as? String ?? "") != nil)
        let kept = try fixture.history("builds")
        #expect(kept.map(\.content.click) == ["https://a/1", "https://a/1"])
        #expect(kept.last?.id.number.map { "\($0)" } == members["id"] as? String)
        #expect(try send("discord/\(token)/slack", #"{"text":"a"}"#).text == "ok")
        let push = #"{"zen":"x","repository":{"full_name":"a/b"}}"#
        let event = [("X-GitHub-Event", "ping")]
        #expect(try send("discord/\(token)/github", push, Self.json + event).status == 204)
        #expect(try fixture.history("builds").map(\.content.title) == ["T", "T", "", "a/b"])
    }

    @Test("A file of a form is the message's, and a body may be long for who may push")
    func files() throws {
        let token = try token("builds")
        let text = String(repeating: "x", count: 100_000)
        let form = """
            --b\r
            Content-Disposition: form-data; name="payload_json"\r
            \r
            {"content":"a"}\r
            --b\r
            Content-Disposition: form-data; name="files[0]"; filename="a.txt"\r
            \r
            \(text)\r
            --b--\r\n
            """
        let type = [("Content-Type", "multipart/form-data; boundary=b")]
        #expect(try send("discord/\(token)", form, type).status == 204)
        let kept = try #require(try fixture.history("builds").first?.content)
        #expect(kept.text == "a" && kept.attachment?.name == "a.txt")
        #expect(kept.attachment?.size == 100_000)
        let refused = try send("slack/tk_wrong", form, type)
        #expect(refused.status == 413 && refused.text == "msg_too_long")
        #expect(try send("discord/A1", form, type).object()["code"] as? Int == 40005)
    }

    @Test("A token of several topics needs a name, which the address or Slack's channel says")
    func names() throws {
        let token = try token("nas-*")
        let body = ##"{"text":"a","channel":"#nas-1"}"##
        #expect(try send("slack/\(token)", body).text == "ok")
        #expect(try send("slack/\(token)?topic=nas-2", body).text == "ok")
        #expect(try send("discord/\(token)/slack", body).text == "ok")
        #expect(try fixture.history("nas-1").count == 2)
        #expect(try fixture.history("nas-2").count == 1)
        let nameless = try send("slack/\(token)", #"{"text":"a"}"#)
        #expect(nameless.status == 404 && nameless.text.hasPrefix("channel_not_found: "))
        #expect(nameless.text.contains("bellwire token add NAME --topic builds --write"))
        let discord = try send("discord/\(token)", #"{"content":"a"}"#)
        #expect(try discord.status == 404 && discord.object()["code"] as? Int == 10003)
        #expect(try send("slack/\(token)?topic=other", body).status == 403)
        #expect(try fixture.device(ofTopic: "other") == nil)
    }

    @Test("Only a token that may push counts, and it counts in the path alone")
    func rights() throws {
        let reader = try token("builds", .read)
        let body = #"{"text":"a","channel":"builds"}"#
        #expect(try send("slack/\(reader)", body).text.hasPrefix("action_prohibited"))
        #expect(try send("discord/\(reader)", #"{"content":"a"}"#).status == 403)
        let unknown = "tk_" + String(repeating: "a", count: 29)
        let authorized = [("Authorization", "Bearer \(bearer)")]
        for token in [unknown, bearer, "x", "A12345678901234"] {
            let answer = try send("slack/\(token)", body, Self.json + authorized)
            #expect(answer.status == 403 && answer.text.hasPrefix("invalid_token"))
            #expect(try send("discord/\(token)", body).status == 401)
        }
        let here = try PushFixture.ofThisMachine()
        let local = try here.request(
            "POST", "/hooks/slack/x", [("Host", "localhost")], body: Array(body.utf8))
        #expect(local.status == 403)
        for path in ["slack/", "slack/\(reader)/slack"] {
            #expect(try send(path, body).text == "no_service")
        }
        #expect(try send("discord/\(reader)/x", body).object()["code"] as? Int == 10015)
        #expect(try send("teams/\(reader)", body).refusal == 40401)
        #expect(try fixture.history("builds").isEmpty)
        let other = try send("slack/\(try self.token("missing"))", body)
        #expect(other.status == 403 && other.text.contains("bellwire topic add"))
    }

    @Test("Pages may post to an address that they know; loading it posts nothing")
    func browsers() throws {
        let token = try token("builds")
        let foreign = [
            ("Origin", "https://other.example"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Dest", "empty"),
        ]
        let answer = try send("slack/\(token)", #"{"text":"a"}"#, foreign)
        #expect(answer.text == "ok" && answer["access-control-allow-origin"] == "*")
        let preflight = try send("discord/\(token)", "", foreign, method: "OPTIONS")
        #expect(preflight.status == 200 && preflight["access-control-allow-headers"] == "*")
        for method in ["GET", "PUT", "DELETE"] {
            let answer = try send("slack/\(token)", #"{"text":"b"}"#, method: method)
            #expect(answer.status == 405 && answer.text == "method_not_allowed")
        }
        #expect(try fixture.history("builds").count == 1)
    }

    @Test("An application's token of Gotify is as good as another")
    func application() throws {
        let made = try GotifyCaller(fixture).makeApplication("Tool")
        let key = try #require(made.sender.fields.first?.1)
        #expect(try send("slack/\(key)", #"{"text":"a"}"#).text == "ok")
        #expect(try fixture.history("Tool").map(\.content.text) == ["a"])
    }

    @Test("What says nothing is refused as its sender expects")
    func refusals() throws {
        let token = try token("builds")
        #expect(try send("slack/\(token)", "{}").text == "no_text")
        #expect(try send("slack/\(token)", "{").text == "invalid_payload")
        let empty = try send("discord/\(token)", #"{"content":""}"#)
        #expect(try empty.status == 400 && empty.object()["code"] as? Int == 50006)
        let slack = try send("discord/\(token)/slack", "{")
        #expect(try slack.status == 400 && slack.object()["code"] as? Int == 50109)
    }
}
