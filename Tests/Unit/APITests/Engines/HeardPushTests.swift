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
        #expect(try app.payloads().isEmpty, "nobody fetches it, so nothing waits")
        let fetched = try RegisteredApp(fixture, app: "hooks", Self.terms, bearer: app.bearer)
        let again: PushFixture.Fields = [
            ("Title", "CI"), ("Priority", "4"), ("Tags", "tada"),
            ("Click", "https://ci.example/1"),
        ]
        #expect(try fetched.raw(Array("the build is green".utf8), again).status == 201)
        #expect(try fetched.payloads() == [payload], "what is fetched is what is shown")
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
        #expect(try app.raw([], method: "PUT", [("Title", "put")]).status == 201)
        try viewer.settle()
        #expect(viewer.texts.last == "put")
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
        let sealed = try app.push("sealed", ttl: nil, [("Title", "forged"), ("Attach", "x")])
        #expect(sealed.status == 201 && sealed["bellwire-ignored"] == nil)
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

    @Test("An address takes pushes without end, with and without a screen, and says which")
    func endless() throws {
        let noted = Noted()
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device.messages = 6 }
            plan.settings = { $0.onUnheard = { noted.add($0, "unheard") } }
        }
        let app = try RegisteredApp(fixture, app: "script", Self.terms)
        func push(_ count: Int) throws {
            for number in 0..<count {
                #expect(try app.raw(Array("\(number)".utf8), []).status == 201, "\(number)")
            }
        }
        try push(20)
        #expect(noted.reasons == ["\(app.id) unheard"], "once an hour")
        #expect(
            try app.call("GET", "registrations/\(app.id)").object()["listening"] as? Bool == false)
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "script", "&role=viewer")
        #expect(viewer.texts.count == 20, "more than ten are kept")
        try push(20)
        #expect(
            try app.call("GET", "registrations/\(app.id)").object()["listening"] as? Bool == true)
        #expect(fixture.store.index.usage.messages == 0)
        let figures = fixture.service.serverFigures
        #expect(figures.shown == 20 && figures.clients == 1, "a screen is a client")
        #expect(noted.reasons.count == 1)
    }

    @Test("An address with a callback is not unheard: its sender is heard there")
    func callback() throws {
        let noted = Noted()
        let fixture = try PushFixture { plan in
            plan.settings = { $0.onUnheard = { noted.add($0, "unheard") } }
        }
        let told = try RegisteredApp(
            fixture, app: "script", Self.terms + #","callback":"https://app.example/x""#)
        let other = try RegisteredApp(
            fixture, app: "script", Self.terms, bearer: try fixture.addCredential(owner: "other"))
        for (app, isUnheard) in [(told, nil), (other, true)] as [(RegisteredApp, Bool?)] {
            #expect(try app.raw(Array("x".utf8), []).status == 201)
            let said = try app.call("GET", "registrations/\(app.id)").object()
            #expect(said["unheard"] as? Bool == isUnheard)
        }
        #expect(noted.reasons == ["\(other.id) unheard"])
    }

    @Test("Only an address that takes unencrypted pushes takes the long JSON of services")
    func longBody() throws {
        let text = String(repeating: "x", count: 6_000)
        let body = Array(#"{"message":"\#(text)","data":{"tag":"t"}}"#.utf8)
        #expect(try app.raw(body, []).status == 201)
        let closed = try RegisteredApp(
            fixture, app: "plain", #","dialect":"plain","clear":false"#)
        #expect(try closed.raw(body, []).code == "413/104")
    }

    @Test(
        "What a sender asks for in vain is refused if it changes the meaning, and named otherwise")
    func vain() throws {
        let body = Array("later".utf8)
        for (field, sentence) in [
            ("Delay: 30m", "Delay, At and In"), ("X-At: tomorrow", "Delay, At and In"),
            ("In: 5 min", "Delay, At and In"), ("Priority: nonsense", "Priority must be"),
        ] {
            let parts = field.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
            let answer = try app.raw(body, [(parts[0], parts[1])])
            #expect(answer.code == "400/1028" && answer.text.contains(sentence), "\(field)")
        }
        let broken = try app.raw(Array(#"{"a":"#.utf8), [("Content-Type", "application/json")])
        #expect(broken.code == "400/1028" && broken.text.contains("not JSON"))
        let file = try app.raw(
            Array(
                "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nx\r\n--b--"
                    .utf8),
            [("Content-Type", "multipart/form-data; boundary=b")])
        #expect(file.code == "400/1028" && file.text.contains("A form may have"))
        let named = try app.raw(body, [("Attach", "https://a/b"), ("X-Icon", "https://a/c")])
        #expect(named.status == 201 && named["bellwire-ignored"] == "attach, x-icon")
        #expect(try app.raw(body, [("Priority", "u=1, i")])["bellwire-ignored"] == nil)
        let query = try fixture.request(
            "POST", app.endpoint + "?title=B%C3%BCro&priority=5&colour=red", [], body: body)
        #expect(query.status == 201 && query["bellwire-ignored"] == "colour")
        try viewer.settle()
        #expect(viewer.presentation["title"] as? String == "Büro")
        #expect(viewer.presentation["critical"] as? Bool == true)
        // Elsewhere the sender must not give up the endpoint.
        let other = try RegisteredApp(fixture, app: "zpns")
        #expect(try other.raw(body, [("Delay", "30m")]).status == 201)
    }

    @Test("Pushes with and without a title are one chat, with the name of the address")
    func oneChat() throws {
        #expect(try app.raw(Array("a".utf8), []).status == 201)
        #expect(try app.raw(Array("b".utf8), [("Title", "CI")]).status == 201)
        #expect(try app.raw(Array(#"{"message":"c"}"#.utf8), []).status == 201)
        try viewer.settle()
        #expect(viewer.screen.count == 1 && viewer.texts == ["a", "b", "c"])
        let chats = try viewer.ask(#"{"@type":"bellwire.getChats"}"#).answer["chats"]
        let titles = (chats as? [[String: Any]])?.map { $0["title"] as? String }
        #expect(titles == ["me"])
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
