import API
import Base
import Testing
import WebPush

@testable import Mailbox
@testable import PushService
@testable import Topics

@Suite("The last refusal at a topic")
struct RefusedSenderTests {
    private let fixture: PushFixture
    private let bearer: String
    private let id: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
        let answer = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"script","account":"builds","trust_clear":true}"#)
        id = try #require(MadeRegistration(json: answer.body)).id
    }

    private func addToken(_ name: String, _ members: String) throws -> String {
        let answer = try fixture.api(
            "POST", "tokens", bearer: bearer, #"{"name":"\#(name)"\#(members)}"#)
        return try #require(ListedToken(json: answer.body)?.token)
    }

    private var last: ListedRefusal? {
        get throws {
            let answer = try fixture.api("GET", "registrations/\(id)", bearer: bearer)
            return try #require(ListedRegistration(json: answer.body)).refusal
        }
    }

    private func expect(_ reason: String, _ status: Int, by sender: String) throws {
        let found = try last
        #expect(found?.reason == reason && found?.status == status && found?.sender == sender)
        #expect((found?.time ?? 0) > 0)
    }

    @Test("says who it was and why, and goes with the topic")
    func reasons() throws {
        #expect(try last == nil)
        let reading = try addToken("Grafana", #","read":true"#)
        #expect(try fixture.ntfy("POST", "/builds", reading, "x").status == 403)
        try expect("may-only-read", 403, by: "Grafana")
        let writing = try addToken("nas", #","topic":"builds","write":true"#)
        #expect(try fixture.ntfy("GET", "/builds/json?poll=1", writing).status == 403)
        try expect("may-not-read", 403, by: "nas")
        let answering = try addToken("phone", #","answer":true"#)
        #expect(try fixture.ntfy("POST", "/builds", answering, "x").status == 403)
        try expect("may-not-push", 403, by: "phone")
        let other = try addToken("other", #","topic":"door""#)
        #expect(try fixture.ntfy("POST", "/builds", other, "x").status == 403)
        try expect("other-topics", 403, by: "other")
        #expect(try fixture.ntfy("POST", "/builds?delay=soon", writing, "x").status == 400)
        try expect("message-40004", 400, by: "nas")
        let device = try #require(try fixture.device(ofTopic: "builds"))
        #expect(fixture.service.refusedSenders[device] != nil)
        #expect(try fixture.api("DELETE", "registrations/\(id)", bearer: bearer).status == 204)
        #expect(fixture.service.refusedSenders[device] == nil)
    }

    @Test("A webhook and a token that has ended count as well")
    func others() throws {
        let reading = try addToken("hook", #","topic":"builds","read":true"#)
        let hook = try fixture.ntfy("POST", "/hooks/slack/\(reading)", nil, #"{"text":"x"}"#)
        #expect(hook.status == 403)
        try expect("may-only-read", 403, by: "hook")
    }

    @Test("Who may do what it asks for leaves nothing but the time of its use")
    func used() throws {
        let token = try addToken("both", "")
        func lastSeen() throws -> Int? {
            let listed = try fixture.api("GET", "tokens", bearer: bearer)
            return [ListedToken](json: listed.body)?.first { $0.name == "both" }?.lastSeen
        }
        #expect(try lastSeen() == nil)
        #expect(try fixture.ntfy("POST", "/builds", token, "x").status == 200)
        #expect(try lastSeen() != nil)
        // It could not answer, and nobody has asked it to.
        #expect(try fixture.ntfy("GET", "/builds/json?poll=1", token).status == 200)
        #expect(try last == nil)
    }

    @Test("Of so many topics that nobody looks at all of them, it is forgotten")
    func limit() {
        let refused = RefusedSenders()
        for topic in 1...4_096 {
            refused.note(ListedRefusal { $0.status = 403 }, at: UInt32(topic))
        }
        refused.note(ListedRefusal { $0.status = 401 }, at: 1)
        #expect(refused[1]?.status == 401 && refused[4_096]?.status == 403)
        refused.note(ListedRefusal { $0.status = 400 }, at: 4_097)
        #expect(refused[1] == nil && refused[4_097]?.status == 400)
    }

    @Test("Strangers, wrong tokens and other owners leave nothing")
    func strangers() throws {
        let other = try fixture.addCredential(owner: "other")
        #expect(try fixture.ntfy("POST", "/builds", nil, "x").status == 403)
        let wrong = "tk_" + String(repeating: "a", count: 29)
        #expect(try fixture.ntfy("POST", "/builds", wrong, "x").status == 401)
        #expect(try fixture.ntfy("POST", "/builds?delay=soon", other, "x").status == 400)
        #expect(try last == nil)
    }
}
