import API
import Base
import Crypto
import Testing
import WebPush

@testable import Mailbox
@testable import PushService
@testable import Topics

@Suite("Tokens over the API")
struct TokenAPITests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    private func add(_ members: String, bearer: String? = nil) throws -> HTTPAnswer {
        try fixture.api("POST", "tokens", bearer: bearer ?? self.bearer, "{\(members)}")
    }

    private func made(_ members: String) throws -> ListedToken {
        let answer = try add(members)
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(ListedToken(json: answer.body))
    }

    private func list(_ bearer: String? = nil) throws -> [ListedToken] {
        let answer = try fixture.api("GET", "tokens", bearer: bearer ?? self.bearer)
        return try #require([ListedToken](json: answer.body))
    }

    /// What the store knows of a token.
    private func credential(_ token: String?) throws -> DeviceCredential? {
        var hash = try SHA256()
        let bytes = Array((token ?? "").utf8)
        return fixture.store.index.token(Digest(try hash.digest(of: bytes.span)))
    }

    @Test("A token is shown once, and the store knows its hash and its terms")
    func life() throws {
        let made = try made(#""name":"laptop""#)
        let token = try #require(made.token)
        #expect(TopicToken(token)?.form == .access)
        #expect(made.reads && made.writes && !made.answers && !made.ends)
        #expect(made.pattern == "*" && made.form == "ntfy" && made.expires == nil)
        let stored = try #require(try credential(token))
        #expect(stored.token?.terms.rights == .usual && stored.owner == "tester")
        var listed = made
        listed.token = nil
        #expect(try list() == [listed])
        #expect(try add(#""name":"laptop""#).code == "409/1003")
        #expect(try fixture.api("DELETE", "tokens/\(made.id)", bearer: bearer).status == 204)
        #expect(try credential(token) == nil)
        #expect(try list().isEmpty)
        #expect(try fixture.api("DELETE", "tokens/\(made.id)", bearer: bearer).code == "404/1002")
    }

    @Test("A token has the rights, the pattern and the end that were asked for")
    func terms() throws {
        let read = try made(#""name":"a","topic":"build*","read":true,"expires":60"#)
        #expect(read.reads && !read.writes && read.pattern == "build*")
        let end = try #require(read.expires)
        #expect(abs(end - read.created - 60) <= 2)
        let all = try made(
            #""name":"b","read":true,"write":true,"answer":true,"end":true"#)
        #expect(all.reads && all.writes && all.answers && all.ends)
        let client = try made(#""name":"c","form":"gotify-client""#)
        #expect(client.token?.hasPrefix("C") == true && client.reads && client.ends)
        #expect(!client.writes)
        #expect(
            try credential(client.token)?.token?.terms
                == TokenTerms(.client, try #require(TopicPattern("*")), [.read, .end]))
    }

    @Test("A token of another server is taken by its hash, once, and opens what it says")
    func taken() throws {
        let text = "tk_" + String(repeating: "a", count: 29)
        var hash = try SHA256()
        let digest = Digest(try hash.digest(of: Array(text.utf8).span))
        let member = #""hash":"\#(Base64URL.text(digest.bytes.span))""#
        let terms = #","topic":"builds","read":true"#
        let trial = try add(#""name":"a",\#(member)\#(terms),"dry_run":true"#)
        #expect(trial.status == 204 && trial.body.isEmpty)
        #expect(try credential(text) == nil)
        let taken = try made(#""name":"a",\#(member)\#(terms)"#)
        #expect(taken.token == nil && taken.pattern == "builds" && taken.reads && !taken.writes)
        #expect(try credential(text)?.token?.terms.rights == .read)
        let again = try add(#""name":"b",\#(member),"write":true"#)
        #expect(again.status == 200 && ListedToken(json: again.body)?.name == "a")
        #expect(try credential(text)?.token?.terms.rights == .read)
        let other = try fixture.addCredential(owner: "other")
        #expect(try add(#""name":"c",\#(member)"#, bearer: other).code == "409/1036")
        #expect(try add(#""name":"d","hash":"AAAA""#).code == "400/1000")
        #expect(try add(#""name":"d","dry_run":true"#).code == "400/1000")
    }

    @Test("A token for one topic ends with it; an application of Gotify always is for one")
    func ofTopic() throws {
        let topic = try RegisteredApp(
            fixture, app: "script", #","trust_clear":true"#, bearer: bearer)
        let token = try made(#""name":"a","registration":"\#(topic.id)""#)
        #expect(token.pattern == "me" && token.reads && token.writes)
        let application = try made(
            #""name":"b","form":"gotify-application","registration":"\#(topic.id)""#)
        #expect(application.token?.hasPrefix("A") == true)
        #expect(application.writes && !application.reads)
        #expect(try add(#""name":"c","form":"gotify-application""#).code == "400/1000")
        let stranger = try fixture.addCredential(owner: "uid:9")
        let theirs = #""name":"a","registration":"\#(topic.id)""#
        #expect(try add(theirs, bearer: stranger).code == "404/1002")
        #expect(try topic.call("DELETE", "registrations/\(topic.id)").status == 204)
        #expect(try credential(token.token) == nil && credential(application.token) == nil)
        let app = try RegisteredApp(fixture, bearer: bearer)
        #expect(try add(#""name":"d","registration":"\#(app.id)""#).code == "400/1000")
    }

    @Test("Only a token that pushes to one topic has addresses for services, told once")
    func webhooks() throws {
        let token = try made(#""name":"a","topic":"builds","write":true"#)
        let text = try #require(token.token)
        #expect(token.slackAddress == "https://push.example/hooks/slack/\(text)")
        #expect(token.discordAddress == "https://push.example/hooks/discord/\(text)")
        for (number, terms) in [
            #""topic":"builds*""#, #""topic":"builds","read":true"#, #""topic":"status""#,
            #""topic":"builds","form":"gotify-client""#,
        ].enumerated() {
            let token = try made(#""name":"b\#(number)",\#(terms)"#)
            #expect(token.slackAddress == nil && token.discordAddress == nil, "\(terms)")
        }
        #expect(try list().allSatisfy { $0.slackAddress == nil && $0.discordAddress == nil })
    }

    @Test("Tokens belong to their owner, and open nothing of the API")
    func rights() throws {
        let made = try made(#""name":"a""#)
        let stranger = try fixture.addCredential(owner: "uid:9")
        #expect(try list(stranger).isEmpty)
        #expect(try fixture.api("DELETE", "tokens/\(made.id)", bearer: stranger).code == "404/1002")
        #expect(
            try fixture.api("POST", "tokens/\(made.id)/confirm", bearer: bearer).code == "403/1001")
        for path in ["tokens", "registrations", "messages"] {
            #expect(try fixture.api("GET", path, bearer: made.token).code == "401/1005", "\(path)")
        }
        // The number of a device is none of a token.
        let known = fixture.store.index.credential(secret: Array(bearer.utf8).span)
        let device = try #require(known)
        #expect(
            try fixture.api("DELETE", "tokens/\(device.row)", bearer: bearer).code == "404/1002")
        #expect(try list().map(\.name) == ["a"])
    }

    @Test(
        "What asks for no token is refused",
        arguments: [
            "", #""name":"""#, #""name":"a\u001b""#, #""name":"a","topic":"a b""#,
            #""name":"a","topic":"a","registration":"AAAAAAAAAAAAAAAAAAAAAA""#,
            #""name":"a","registration":"x""#, #""name":"a","form":"access""#,
            #""name":"a","read":1"#, #""name":"a","expires":0"#, #""name":"a","expires":"1d""#,
            #""name":"a","form":"gotify-application","registration":"AAAAAAAAAAAAAAAAAAAAAA","read":true"#,
            #""name":"a","token":"tk_x""#,
        ])
    func malformed(members: String) throws {
        #expect(try add(members).code == "400/1000")
        #expect(try list().isEmpty)
    }
}
