import Foundation
import Testing
import Topics

@testable import Mailbox
@testable import PushService

@Suite("What clients of ntfy ask of the server")
struct AccountTests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    private func makeToken(_ bearer: String, _ body: String = "{}") throws -> String {
        let answer = try fixture.ntfy("POST", "/v1/account/token", bearer, body)
        #expect(answer.status == 200)
        return answer.text("token")
    }

    @Test("Whether somebody may read is told by the status alone")
    func mayRead() throws {
        let answer = try fixture.ntfy("GET", "/a,b/auth", bearer)
        #expect(answer.status == 200 && answer.text == "{\"success\":true}\n")
        #expect(try fixture.device(ofTopic: "a") == nil)
        #expect(try fixture.ntfy("GET", "/a/auth").refusal == 40301)
        #expect(try fixture.ntfy("GET", "/a/auth", "tk_x").refusal == 40101)
        #expect(try fixture.ntfy("GET", "/docs/auth", bearer).refusal == 40010)
        let vapid = [("Authorization", "vapid t=x,k=y")]
        #expect(try fixture.ntfy("GET", "/a/auth", nil, nil, vapid).refusal == 40301)
    }

    @Test("The configuration, health and figures are for everybody")
    func configuration() throws {
        let json = try fixture.ntfy("GET", "/v1/config")
        #expect(try json.object()["require_login"] as? Bool == false)
        let script = try fixture.ntfy("GET", "/config.js")
        #expect(script["content-type"] == "text/javascript; charset=utf-8")
        #expect(script.text.hasPrefix("var config = {"))
        #expect(try fixture.ntfy("GET", "/v1/health").text == "{\"healthy\":true}\n")
        _ = try fixture.ntfy("POST", "/t", bearer, "x")
        #expect(try fixture.ntfy("GET", "/v1/stats").object()["messages"] as? Int == 1)
    }

    @Test("The version is for administrators")
    func version() throws {
        #expect(try fixture.ntfy("GET", "/v1/version").refusal == 40101)
        #expect(try fixture.ntfy("GET", "/v1/version", bearer).refusal == 40101)
        let administrator = try fixture.addCredential(owner: "admin")
        #expect(try fixture.ntfy("GET", "/v1/version", administrator).text("version") == "test")
    }

    @Test("An account tells its owner and nobody else's")
    func account() throws {
        let anybody = try fixture.ntfy("GET", "/v1/account")
        #expect(anybody.text("username") == "*" && anybody.text("role") == "anonymous")
        let own = try fixture.ntfy("GET", "/v1/account", bearer)
        #expect(own.text("username") == "tester" && own.text("role") == "user")
        #expect((try own.object()["stats"] as? [String: Any])?.count == 10)
        #expect(try fixture.ntfy("GET", "/v1/account", "tk_x").refusal == 40101)
        #expect(try fixture.ntfy("POST", "/v1/account", nil, "{}").refusal == 40022)
        let reserve = try fixture.ntfy("POST", "/v1/account/reservation", bearer, "{}")
        #expect(reserve.refusal == 40101)
    }

    @Test("A token that a client makes publishes and reads, and goes with the one it was made with")
    func tokens() throws {
        let body = #"{"label":"Home Assistant","expires":0}"#
        let first = try fixture.ntfy("POST", "/v1/account/token", bearer, body)
        #expect(first.text("label") == "Home Assistant")
        #expect(try first.object()["expires"] as? Int == 0)
        let token = first.text("token")
        #expect(TopicToken(token)?.form == .access)
        #expect(try makeToken(bearer, body) != token)
        #expect(try fixture.ntfy("POST", "/t", token, "x").status == 200)
        #expect(try fixture.history("t").map(\.content.text) == ["x"])
        let child = try makeToken(token)
        let grandchild = try makeToken(child)
        for each in [child, grandchild] {
            #expect(try fixture.ntfy("GET", "/t/auth", each).status == 200)
        }
        // It opens nothing else.
        #expect(try fixture.api("GET", "registrations", bearer: child).status == 401)
        #expect(try fixture.ntfy("DELETE", "/v1/account/token", token).status == 200)
        for each in [token, child, grandchild] {
            #expect(try fixture.ntfy("GET", "/t/auth", each).refusal == 40101)
        }
    }

    @Test("A token ends others only if they were made with it, and a device those of its owner")
    func ending() throws {
        let (one, two) = (try makeToken(bearer), try makeToken(bearer))
        let child = try makeToken(one)
        func end(_ token: String, with bearer: String?) throws -> HTTPAnswer {
            try fixture.ntfy("DELETE", "/v1/account/token", bearer, nil, [("X-Token", token)])
        }
        #expect(try end(two, with: one).refusal == 40023)
        #expect(try end(one, with: child).refusal == 40023)
        #expect(try end(child, with: one).status == 200)
        #expect(try end(two, with: try fixture.addCredential(owner: "other")).refusal == 40023)
        #expect(try end(two, with: nil).refusal == 40101)
        #expect(try end(two, with: bearer).status == 200)
        #expect(try fixture.ntfy("DELETE", "/v1/account/token", bearer).refusal == 40023)
        #expect(try fixture.ntfy("GET", "/t/auth", two).refusal == 40101)
        #expect(try fixture.ntfy("GET", "/t/auth", one).status == 200)
    }

    @Test("A token is asked for with a credential, and with an end that can be read")
    func wishes() throws {
        #expect(try fixture.ntfy("POST", "/v1/account/token", nil, "{}").refusal == 40101)
        for body in ["x", "[]", #"{"expires":"never"}"#, #"{"expires":-1}"#] {
            let answer = try fixture.ntfy("POST", "/v1/account/token", bearer, body)
            #expect(answer.refusal == 40024, "\(body)")
        }
        let usual = try fixture.ntfy("POST", "/v1/account/token", bearer)
        let end = try #require(try usual.object()["expires"] as? Int)
        #expect(abs(end - Int(Date().timeIntervalSince1970) - 72 * 3_600) < 60)
        let over = try makeToken(bearer, #"{"expires":1}"#)
        #expect(try fixture.ntfy("GET", "/t/auth", over).refusal == 40101)
        let short = try makeToken(bearer, #"{"expires":4000000000}"#)
        let child = try fixture.ntfy("POST", "/v1/account/token", short, #"{"expires":0}"#)
        #expect(try child.object()["expires"] as? Int == 4_000_000_000)
    }

    private func change(_ bearer: String?, _ body: String) throws -> HTTPAnswer {
        try fixture.ntfy("PATCH", "/v1/account/token", bearer, body)
    }

    private func end(_ answer: HTTPAnswer) throws -> Int? {
        try answer.object()["expires"] as? Int
    }

    @Test("The owner's device gives a token another label and end, and one that is over ends")
    func changing() throws {
        let token = try makeToken(bearer, #"{"label":"one","expires":3000000000}"#)
        _ = try makeToken(bearer, #"{"label":"two"}"#)
        let named = #""token":"\#(token)""#
        let later = try change(bearer, "{\(named),\"label\":\"two\",\"expires\":4000000000}")
        #expect(later.text("label") == "two" && later.text("token") == token)
        #expect(try end(later) == 4_000_000_000)
        #expect(try fixture.ntfy("GET", "/t/auth", token).status == 200)
        #expect(try end(change(bearer, "{\(named),\"label\":\"three\"}")) == 4_000_000_000)
        #expect(try end(change(bearer, "{\(named)}")) == 4_000_000_000)
        #expect(try end(change(bearer, "{\(named),\"expires\":0}")) == 0)
        #expect(try end(change(bearer, "{\(named)}")) == 0)
        #expect(try change(bearer, "{\(named),\"expires\":1}").status == 200)
        #expect(try fixture.ntfy("GET", "/t/auth", token).refusal == 40101)
    }

    @Test("With nothing said, a token ends three days later")
    func extending() throws {
        let now = Int(Date().timeIntervalSince1970)
        let token = try makeToken(bearer, #"{"expires":\#(now + 60)}"#)
        let extended = try #require(try end(change(bearer, #"{"token":"\#(token)"}"#)))
        #expect(abs(extended - now - 72 * 3_600) < 60)
    }

    @Test("A token changes itself and those that it has made, but none lives longer than it does")
    func changingWithToken() throws {
        let one = try makeToken(bearer, #"{"expires":4000000000}"#)
        let two = try makeToken(bearer)
        let child = try makeToken(one)
        func named(_ token: String) -> String { #"{"token":"\#(token)","expires":0}"# }
        #expect(try change(one, named(two)).refusal == 40023)
        #expect(try change(child, named(one)).refusal == 40023)
        #expect(try end(change(one, named(child))) == 4_000_000_000)
        #expect(try end(change(one, #"{"expires":0}"#)) == 4_000_000_000)
        #expect(try end(change(one, #"{"expires":3900000000}"#)) == 3_900_000_000)
        #expect(try end(change(one, #"{"expires":4000000000}"#)) == 3_900_000_000)
        let other = try fixture.addCredential(owner: "other")
        #expect(try change(other, named(two)).refusal == 40023)
        #expect(try change(nil, named(two)).refusal == 40101)
        #expect(try change(bearer, "{}").refusal == 40023)
        #expect(try change(bearer, "x").refusal == 40024)
    }
}
