import Foundation
import Testing

@testable import PushService

@Suite("Pushes of scripts")
struct HeardPushTests {
    private static let terms =
        #","dialect":"plain","clear":true,"trust_clear":true"#

    private let fixture: PushFixture
    private let app: RegisteredApp
    private let viewer: EngineViewer

    init() throws {
        fixture = try PushFixture()
        app = try RegisteredApp(fixture, app: "script", Self.terms)
        viewer = try EngineViewer(fixture, bearer: app.bearer, app: "script", "&role=viewer")
    }

    @Test("A text is shown with what its header fields say, and needs no TTL")
    func fields() throws {
        let answer = try app.raw(
            Array("the build is green".utf8),
            [
                ("Title", "CI"), ("X-Priority", "high"), ("Tags", "tada"),
                ("Click", "https://ci.example/1"), ("Content-Type", "text/plain"),
            ])
        #expect(answer.status == 201 && answer["ttl"] == "86400")
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["the build is green"])
        #expect(viewer.presentation["title"] as? String == "CI")
        #expect(viewer.presentation["tags"] as? [String] == ["tada"])
        #expect(viewer.presentation["link"] as? String == "https://ci.example/1")
        let payload =
            #"{"message":"the build is green","title":"CI","priority":4,"tags":["tada"],"click":"https://ci.example/1"}"#
        #expect(try app.payloads() == [payload], "what is fetched is what is shown")
        try fixture.restart()
        #expect(
            try EngineViewer(fixture, bearer: app.bearer, app: "script", "&role=viewer").texts.count
                == 1)
    }

    @Test("Any text is shown, also broken JSON and with PUT; a push without content is a signal")
    func texts() throws {
        for (body, method) in [("plain", "POST"), (#"{"a":"#, "PUT"), (#"{"b":1}"#, "POST")] {
            #expect(try app.raw(Array(body.utf8), method: method, []).status == 201)
            try viewer.next("updateNotificationGroup")
        }
        #expect(viewer.texts == ["plain", #"{"a":"#, #"{"b":1}"#])
        #expect(try app.raw([], []).status == 201)
        #expect(try app.raw([], [("Title", "done")]).status == 201)
        try viewer.settle()
        #expect(viewer.texts.last == "done" && viewer.texts.count == 4)
    }

    @Test("A body that is no text is refused with a sentence")
    func notText() throws {
        let answer = try app.raw([0xFF, 0xFE], [])
        #expect(answer.code == "400/1025" && answer.text.contains("The body is not UTF-8 text"))
        // Elsewhere the sender must not give up the endpoint.
        let other = try RegisteredApp(fixture, app: "zpns")
        #expect(try other.raw([0xFF, 0xFE], []).status == 201)
        #expect(try app.raw([UInt8](repeating: 0x61, count: 5_631), []).code == "413/104")
    }

    @Test("Fields of an encrypted push, and of other dialects, change nothing")
    func encrypted() throws {
        #expect(try app.push("sealed", ttl: nil, [("Title", "forged")]).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["sealed"] && viewer.presentation["title"] == nil)
        let other = try RegisteredApp(fixture, app: "icq")
        #expect(try other.raw(Array("x".utf8), [("Title", "t")]).status == 201)
        #expect(try other.payloads() == ["x"])
    }

    @Test("What Telegram's dialect does not know is shown as text; what is malformed is counted")
    func telegram() throws {
        let noted = Noted()
        let fixture = try PushFixture { plan in
            plan.settings = { $0.onUndecryptable = { noted.add($0, $1) } }
        }
        let app = try RegisteredApp(fixture)
        let viewer = try EngineViewer(app, "&role=viewer")
        #expect(try app.push("hello").status == 201)
        #expect(try app.push(#"{"message":"from JSON"}"#).status == 201)
        #expect(try app.push(#"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","x"]}"#).status == 201)
        #expect(try app.push("{}").status == 201)
        #expect(try app.raw(Array("in clear".utf8)).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["hello", "from JSON"])
        #expect(try app.undecryptable() == ["not-understood": 1, "not-encrypted": 1])
        #expect(noted.reasons == ["\(app.id) not-understood", "\(app.id) not-encrypted"])
        let metrics = fixture.service.metrics.text(fixture.store, version: "1")
        #expect(metrics.contains("\nbellwire_undecryptable_total{reason=\"not-understood\"} 1\n"))
    }

    @Test("The list names the format that is heard, and its owner only to administrators")
    func listed() throws {
        let own = try app.call("GET", "registrations/\(app.id)").object()
        #expect(own["hears"] as? String == "plain" && own["owner"] == nil)
        let quiet = try RegisteredApp(fixture, app: "script", bearer: app.bearer)
        #expect(try quiet.call("GET", "registrations/\(quiet.id)").object()["hears"] == nil)
    }
}

/// What the log is told, from any thread.
private final class Noted: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ registration: String, _ reason: String) {
        lock.withLock { lines.append("\(registration) \(reason)") }
    }

    var reasons: [String] { lock.withLock { lines } }
}
