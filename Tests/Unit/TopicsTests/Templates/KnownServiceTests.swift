import Base
import TestSupport
import Testing

@testable import Topics

/// A request of a service and what is shown of it, from the vectors of the dialects.
struct ServiceRequest: Decodable, Sendable, CustomTestStringConvertible {
    struct Shown: Decodable, Sendable {
        let title: String
        let body: String
        let link: String?
        let urgency: String?
    }

    let name: String
    let dialect: String
    let event: String?
    let payload: String
    let shown: [Shown]

    var testDescription: String { "\(dialect): \(name)" }

    static func all() throws -> [ServiceRequest] {
        try Vectors.load([ServiceRequest].self, from: "webhooks.json")
    }

    /// Nothing in it tells whose it is.
    var isUnmarked: Bool {
        ["not an alert", "without the header field", "a message"].contains(name)
    }
}

@Suite("Services that are known at any topic")
struct KnownServiceTests {
    static func read(_ body: String, type: String = "application/json", event: String = "")
        -> TopicContent?
    {
        KnownService.read(Array(body.utf8), contentType: type, event: event)
    }

    @Test("What a service sends is understood", arguments: try ServiceRequest.all())
    func vectors(_ request: ServiceRequest) throws {
        let content = Self.read(request.payload, event: request.event ?? "")
        guard !request.isUnmarked else {
            #expect(content == nil)
            return
        }
        let said = try #require(content)
        #expect(!said.text.isEmpty)
        guard request.shown.count == 1, let shown = request.shown.first else { return }
        #expect(said.title == shown.title)
        #expect(said.text.hasPrefix(shown.body))
        #expect(said.click == shown.link ?? "")
        #expect(said.priority == (shown.urgency == "critical" ? 5 : shown.urgency == "low" ? 2 : 0))
        // Declared as anything else it is text.
        #expect(Self.read(request.payload, type: "text/plain", event: request.event ?? "") == nil)
        #expect(Self.read(String(request.payload.dropLast()), event: request.event ?? "") == nil)
    }

    private static func group(_ alerts: String, title: String = "") -> String {
        #"{"version":"4","groupKey":"k","status":"firing","receiver":"desk","commonLabels":"#
            + #"{"alertname":"Load"},\#(title)"alerts":[\#(alerts)]}"#
    }

    private static func alert(_ status: String, _ name: String) -> String {
        #"{"status":"\#(status)","fingerprint":"\#(name)","labels":{"alertname":"\#(name)"},"#
            + #""annotations":{"description":"of \#(name)"}}"#
    }

    @Test("Several alerts are one message, and what is resolved is said")
    func alerts() throws {
        let (one, two) = (Self.alert("firing", "A"), Self.alert("firing", "B"))
        let both = try #require(Self.read(Self.group("\(one),\(two)")))
        #expect(both.title == "Load (2)" && both.text == "A: of A\nB: of B")
        let over = try #require(Self.read(Self.group(Self.alert("resolved", "A"))))
        #expect(over.title == "Resolved: A" && over.text == "of A")
        #expect(over.tags == ["white_check_mark"])
        let mixed = try #require(Self.read(Self.group("\(one),\(Self.alert("resolved", "C"))")))
        #expect(mixed.title == "A" && mixed.text == "of A\n\nResolved: C\nof C")
        let rule = #"{"ruleId":7,"ruleName":"Disk","state":"ok","title":"[OK] Disk","message":"m"}"#
        #expect(try #require(Self.read(rule)).title == "Resolved: [OK] Disk")
    }

    @Test("What has no notification is a line of text")
    func others() throws {
        let up = #"""
            {"heartbeat":{"status":1,"msg":"200 - OK"},"monitor":{"name":"Cloud"},"msg":"x"}
            """#
        let monitor = try #require(Self.read(up))
        #expect(monitor.title == "Cloud is up" && monitor.text == "200 - OK")
        let release = #"""
            {"action":"created","repository":{"full_name":"a/b"},"sender":{"login":"c"}}
            """#
        let news = try #require(Self.read(release, event: "release"))
        #expect(news.title == "a/b" && news.text == "c release created" && news.priority == 2)
        let cleared = #"{"message":"clear_notification","data":{"tag":"door"}}"#
        #expect(Self.read(cleared)?.text == "Cleared: door")
    }

    static let types: [(type: String, isJSON: Bool)] = [
        ("application/json", true), ("Application/JSON; charset=utf-8", true),
        ("application/json ;x", true), ("", false), ("text/json", false),
        ("application/jsonl", false), ("application/x-www-form-urlencoded", false),
    ]

    @Test("Only what is declared as JSON is read", arguments: types)
    func declared(_ row: (type: String, isJSON: Bool)) {
        let body = #"{"heartbeat":null,"monitor":null,"msg":"Test"}"#
        #expect((Self.read(body, type: row.type) != nil) == row.isJSON)
    }

    /// JSON of scripts, which is shown as it is.
    static let raw: [String] = [
        "[]", "null", "1", #""text""#, "{}", #"{"text":"hi"}"#, #"{"content":"hi"}"#,
        #"{"message":"hi"}"#, #"{"title":"t","message":"m"}"#,
        #"{"topic":"a","title":"t","message":"m","priority":4}"#,
        #"{"title":"t","message":"m","priority":"4"}"#,
        #"{"text":"hi","username":"u","own":1}"#, #"{"attachments":[1]}"#, #"{"embeds":["x"]}"#,
        #"{"alerts":[],"status":"firing"}"#, #"{"message":"m","data":{"own":1}}"#,
        #"{"heartbeat":1,"monitor":null,"msg":"x"}"#, #"{"repository":{"full_name":"a/b"}}"#,
        #"{"ruleId":7,"state":"ok"}"#, #"{"blocks":"x","username":"u"}"#,
    ]

    @Test("JSON that lacks a mark stays text", arguments: raw)
    func unmarked(_ body: String) {
        #expect(Self.read(body) == nil)
    }

    @Test(
        "A body that was changed anywhere is understood or is none",
        arguments: try ServiceRequest.all())
    func changed(_ request: ServiceRequest) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            var body = Array(request.payload.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<body.count, using: &random)
                body[place] = Array("\"{}[],:0x\\".utf8).randomElement(using: &random) ?? 0
            }
            let text = String(decoding: body, as: UTF8.self)
            let content = Self.read(text, event: request.event ?? "")
            #expect((content?.priority ?? 0) <= 5)
        }
    }

    @Test("A message of Gotify is understood")
    func gotify() throws {
        let extras = #"{"client::display":{"contentType":"text/markdown"}}"#
        let body = #"{"title":"t","message":"m","priority":8,"extras":\#(extras),"appid":3}"#
        let content = try #require(Self.read(body))
        #expect(content.title == "t" && content.text == "m" && content.gotifyPriority == 8)
        #expect(content.isMarkdown && content.extras == extras)
        #expect(Self.read(#"{"title":"t","message":"","priority":8}"#) == nil)
    }

    @Test("A description of a message shows nothing of it")
    func confidential() throws {
        let content = try #require(Self.read(#"{"text":"secret","username":"u"}"#))
        #expect(!"\(content)".contains("secret"))
    }
}
