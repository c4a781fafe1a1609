import Base
import Foundation
import Testing
import Topics

@testable import Mailbox
@testable import PushService

@Suite("Topics of applications that use UnifiedPush")
struct ApplicationTests {
    private static let name = "upAbcDefGhi123"
    private let fixture: PushFixture

    init() throws {
        fixture = try PushFixture()
    }

    private func url(_ name: String = Self.name) -> String { "https://push.example/\(name)" }

    @Test("Discovery tells nothing of the topic")
    func discovery() throws {
        for topic in [Self.name, "x"] {
            let answer = try fixture.ntfy("GET", "/\(topic)?up=1")
            #expect(answer.status == 200)
            #expect(answer.text == "{\"unifiedpush\":{\"version\":1}}\n")
            #expect(try fixture.ntfy("GET", "/\(topic)").refusal == 40401)
        }
    }

    @Test("A name that nobody has subscribed to gets 507, until somebody does")
    func subscriber() throws {
        let bearer = try fixture.addCredential()
        for bearer in [bearer, nil] {
            let answer = try fixture.ntfy("POST", "/\(Self.name)?up=1", bearer, "x")
            #expect(answer.refusal == 50701 && answer["retry-after"] != nil)
        }
        try fixture.addTopic(Self.name, isOpen: true)
        let answer = try fixture.request(
            "POST", "/\(Self.name)", [("Content-Encoding", "aes128gcm"), ("TTL", "60")],
            body: [0, 0xFF, 0x20])
        #expect(answer.text("encoding") == "base64" && answer.text("message") == "AP8g")
        let members = try answer.object()
        #expect(members["expires"] as? Int == (members["time"] as? Int).map { $0 + 60 })
        _ = try fixture.ntfy("POST", "/\(Self.name)?up=1", nil, " a ")
        let kept = try fixture.history(Self.name)
        #expect(kept.map(\.content.text) == ["AP8g", " a "])
        #expect(kept[1].expires == kept[1].time + 12 * 3_600)
        // Nobody is shown what is for an application.
        let screen = try EngineViewer(
            fixture, bearer: bearer, account: Self.name, app: AccountName.scripts)
        #expect(screen.texts.isEmpty)
        #expect(try fixture.ntfy("GET", "/\(Self.name)/auth").refusal == 40301)
    }

    @Test("A homeserver's push comes to the topic once, as the gateway's JSON")
    func gateway() throws {
        try fixture.addTopic(Self.name, isOpen: true)
        for pushkey in [url(), url() + "?up=1"] {
            let answer = try fixture.notify(pushkey)
            #expect(answer.status == 200 && answer.text == #"{"rejected":[]}"#)
        }
        _ = try fixture.notify(url(), event: "$other")
        let kept = try fixture.history(Self.name)
        #expect(kept.count == 2, "a repetition is recognised")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(kept[0].content.text.utf8))
                as? [String: [String: Any]])
        #expect(json["notification"]?["event_id"] as? String == "$event")
        #expect(kept[0].expires == kept[0].time + 12 * 3_600)
        try fixture.restart()
        #expect(try fixture.notify(url()).status == 200)
        #expect(try fixture.history(Self.name).count == 2, "also after a restart")
    }

    @Test("Only what nobody may push to is rejected; who may still subscribe makes it try again")
    func rejected() throws {
        try fixture.addTopic("private")
        try fixture.addTopic("open", isOpen: true)
        for name in ["private", "nothing", "docs", "open/x"] {
            let answer = try fixture.notify(url(name))
            #expect(answer.status == 200 && answer.text.contains(name.split(separator: "/")[0]))
        }
        #expect(try fixture.notify("https://other.example/open").text.contains("other.example"))
        #expect(try fixture.notify(url()).status == 503)
        #expect(try fixture.notify(url("open")).text == #"{"rejected":[]}"#)
        #expect(try fixture.history("open").count == 1)
    }
}
