import Foundation
import Testing

@testable import PushService

@Suite("Pushes of services' webhooks")
struct ServicePushTests {
    private let fixture: PushFixture

    init() throws { fixture = try PushFixture() }

    private static let json: PushFixture.Fields = [("Content-Type", "application/json")]

    /// What `bellwire topic add` registers has the application `script`; others can fetch, too.
    private func registered(
        _ dialect: String, app name: String = "script"
    ) throws -> (RegisteredApp, EngineViewer) {
        let app = try RegisteredApp(
            fixture, app: name, #","dialect":"\#(dialect)","clear":true,"trust_clear":true"#)
        return (
            app, try EngineViewer(fixture, bearer: app.bearer, app: name, "&role=viewer")
        )
    }

    private func alert(_ name: String, _ status: String, padding: Int = 0) -> String {
        let note = String(repeating: "x", count: padding)
        return
            #"{"status":"\#(status)","fingerprint":"\#(name)","labels":{"alertname":"A"},"annotations":{"summary":"\#(name)","note":"\#(note)"}}"#
    }

    private func group(_ alerts: String...) -> [UInt8] {
        Array(#"{"groupKey":"g","alerts":[\#(alerts.joined(separator: ","))]}"#.utf8)
    }

    @Test("An alert is shown, repeated in silence, taken back when it is resolved, and new again")
    func alerts() throws {
        let (app, viewer) = try registered("alertmanager")
        #expect(
            try app.raw(group(alert("a", "firing"), alert("b", "firing")), Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["A", "A"] && viewer.appeared.count == 2)
        #expect(
            try app.raw(group(alert("a", "firing"), alert("b", "resolved")), Self.json).status
                == 201)
        try viewer.settle()
        #expect(viewer.texts == ["A"] && viewer.appeared.count == 2)
        try fixture.restart()
        #expect(try app.raw(group(alert("a", "resolved")), Self.json).status == 201)
        let later = try EngineViewer(fixture, bearer: app.bearer, app: "script", "&role=viewer")
        #expect(later.texts.isEmpty)
        #expect(try app.raw(group(alert("a", "firing")), Self.json).status == 201)
        try later.settle()
        #expect(later.texts == ["A"])
    }

    @Test("64 KiB are taken where they will be cut, and nowhere else")
    func sizes() throws {
        let (app, viewer) = try registered("alertmanager", app: "hooks")
        let large = group(alert("a", "firing", padding: 60_000))
        #expect(try app.raw(large, Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["A"])
        let kept = try #require(try app.payloads().first)
        #expect(kept.utf8.count < 500 && kept.contains(#""fingerprint":"a""#))
        #expect(try app.raw(group(alert("a", "firing", padding: 66_000)), Self.json).status == 413)
        let encrypted = Self.json + [("Content-Encoding", "aes128gcm")]
        #expect(try app.raw(large, encrypted).code == "413/104")
        #expect(try app.raw(Array("aesgcm\n".utf8) + large, Self.json).code == "413/104")
        let closed = #","dialect":"alertmanager","clear":false"#
        let other = try RegisteredApp(fixture, app: "script", closed)
        #expect(try other.raw(large, Self.json).code == "413/104")
        let (plain, _) = try registered("plain")
        #expect(try plain.raw(Array(#"{"alerts":"#.utf8) + large, []).code == "413/104")
    }

    @Test("The header field names a repository's event; whoever fetches gets it, too")
    func event() throws {
        let (app, viewer) = try registered("forgejo", app: "hooks")
        let body =
            #"{"action":"started","repository":{"full_name":"o/r"},"sender":{"login":"ann"}}"#
        let fields = Self.json + [("X-GitHub-Event", "star"), ("X-Hub-Signature-256", "sha256=0")]
        #expect(try app.raw(Array(body.utf8), fields).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["ann: star started"])
        #expect(viewer.presentation["title"] as? String == "o/r")
        #expect(try app.payloads() == [#"{"x-github-event":"star","# + body.dropFirst()])
        let shown = try app.call("GET", "registrations/\(app.id)").object()
        #expect(shown["hears"] as? String == "github")
    }

    @Test("At an address for scripts the JSON of known services is read as theirs")
    func plain() throws {
        let (app, viewer) = try registered("plain")
        let large = group(alert("db1 is slow", "firing", padding: 20_000), alert("b", "firing"))
        #expect(try app.raw(large, Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.appeared.count == 2)
        #expect(try app.raw(group(alert("b", "resolved")), Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["A"])
        let star =
            #"{"action":"started","repository":{"full_name":"o/r"},"sender":{"login":"ann"}}"#
        let event = Self.json + [("X-GitHub-Event", "star")]
        #expect(try app.raw(Array(star.utf8), event).status == 201)
        let beat =
            #"{"heartbeat":{"status":0,"msg":"no answer"},"monitor":{"id":1,"name":"web"},"msg":""}"#
        #expect(try app.raw(Array(beat.utf8), Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["A", "ann: star started", "no answer"])
    }

    @Test("What is no JSON of the service is shown as text", arguments: ["grafana", "uptime-kuma"])
    func text(dialect: String) throws {
        let (app, viewer) = try registered(dialect)
        #expect(try app.raw(Array("hello".utf8), Self.json).status == 201)
        #expect(try app.raw([0xFF, 0x41], Self.json).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["hello", "\u{FFFD}A"])
    }
}
