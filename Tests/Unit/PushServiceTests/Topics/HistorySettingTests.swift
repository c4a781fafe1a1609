import API
import Configuration
import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("What topics keep by the settings")
struct HistorySettingTests {
    /// As a reload of the configuration does.
    private func use(_ values: [(ConfigurationKey, String)], _ fixture: PushFixture) {
        var settings = fixture.service.settings
        let pairs = values.map { ($0.0.name, [Setting($0.1, from: .fallback)]) }
        settings.values = SettingValues(Dictionary(pairs) { $1 })
        fixture.service.use(settings)
    }

    @Test("history and history-for hold from the next reload, for topics that say nothing else")
    func reload() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        /// For how many seconds a message of this topic stays.
        func lifetime(_ topic: String) throws -> Int {
            let answer = try fixture.request(
                "PUT", "/\(topic)", PushFixture.authorization(bearer), body: Array("x".utf8))
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            let time = try #require(object["time"] as? Int)
            return (object["expires"] as? Int ?? time) - time
        }
        let own = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"script","account":"own","trust_clear":true,"#
                + #""topic":{"keep":60}}"#)
        #expect(own.status == 201)
        #expect(try lifetime("news") == 30 * 86_400 && lifetime("own") == 60)
        use([(.historyFor, "2h")], fixture)
        #expect(try lifetime("news") == 7_200 && lifetime("own") == 60)
        use([(.history, "off"), (.historyFor, "2h")], fixture)
        #expect(try lifetime("news") == 0 && lifetime("own") == 60)
        #expect(try fixture.poll("news", bearer).count == 2)
        #expect(try fixture.poll("own", bearer).count == 3)
    }

    @Test("With history = all, accounts keep what their engines show, until it is off again")
    func accounts() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, #","dialect":"telegram""#)
        func push(_ key: String, _ text: String, _ id: Int) throws {
            let payload =
                #"{"loc_key":"\#(key)","loc_args":["Ann","\#(text)"],"#
                + #""custom":{"from_id":"5","msg_id":"\#(id)"}}"#
            #expect(try app.push(payload).status == 201)
        }
        try push("MESSAGE_TEXT", "before", 1)
        use([(.history, "all")], fixture)
        try push("MESSAGE_TEXT", "hello", 2)
        try push("MESSAGE_PHOTO", "", 3)
        // What shows nothing is no message.
        #expect(try app.push(#"{"loc_key":"READ_HISTORY","custom":{"from_id":"5"}}"#).status == 201)
        use([(.history, "topics")], fixture)
        try push("MESSAGE_TEXT", "after", 4)

        let kept = try fixture.history("me")
        #expect(kept.map(\.content.title) == ["Ann", "Ann"])
        #expect(kept.map(\.content.text) == ["Ann: hello", "Ann sent you a photo"])
        let screen = try EngineViewer(fixture, bearer: app.bearer, account: "me")
        #expect(screen.appeared.count == 4)
        for query in ["", "?topic=telegram/me", "?search=hello"] {
            let answer = try fixture.api("GET", "messages\(query)", bearer: app.bearer).object()
            let messages = answer["messages"] as? [[String: Any]] ?? []
            #expect(messages.last?["topic"] as? String == "telegram/me", "\(query)")
            #expect(messages.count == (query.contains("search") ? 1 : 2), "\(query)")
        }
        // No name leads there.
        #expect(try fixture.ntfy("GET", "/me/json?poll=1", app.bearer).text == "")
        #expect(try app.call("DELETE", "registrations/\(app.id)").status < 300)
        #expect(try fixture.history("me").isEmpty)
    }

    @Test("A push that is taken back while it waits leaves the history of its account, too")
    func withdrawn() throws {
        let fixture = try PushFixture()
        use([(.history, "all")], fixture)
        let app = try RegisteredApp(fixture, #","dialect":"telegram""#)
        let pushes = try [("gone", 1), ("kept", 2)].map { text, id in
            try app.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ann","\#(text)"],"#
                    + #""custom":{"from_id":"5","msg_id":"\#(id)"}}"#)
        }
        let place = try #require(pushes[0]["location"])
        #expect(try app.payloads().count == 2)
        #expect(try fixture.request("DELETE", place).status == 204)
        let waiting = try app.payloads()
        #expect(waiting.count == 1 && waiting.allSatisfy { $0.contains("kept") })
        let kept = try fixture.history("me")
        #expect(kept.map(\.kind) == [.message, .delete])
        #expect(kept.map(\.content.text) == ["Ann: kept", ""])
        #expect(try fixture.request("DELETE", place).status == 204)
        #expect(try fixture.history("me") == kept)
        let screen = try EngineViewer(fixture, bearer: app.bearer, account: "me")
        #expect(screen.appeared.count == 1)
    }
}
