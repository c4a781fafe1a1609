import Base
import Foundation
import TestSupport
import Testing
@testable import Notifications

/// The payloads that the services document, with the parts that matter here.
struct ServiceVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Shown: Decodable, Sendable, Equatable {
        let chat: String
        let title: String
        let body: String
        let name: String?
        let link: String?
        /// `critical` or `low`.
        let urgency: String?
        /// What it does to the earlier one of its name.
        let replaces: String?
    }

    let name: String
    let dialect: String
    /// The value of the header field that names the event.
    let event: String?
    let payload: String
    let shown: [Shown]
    /// The names of notifications that are taken back.
    let ended: [String]

    var testDescription: String { "\(dialect): \(name)" }
}

@Suite("Webhooks of services")
struct ServiceDialectTests {
    static func vectors() throws -> [ServiceVector] {
        try Vectors.load([ServiceVector].self, from: "webhooks.json")
    }

    @Test("Home Assistant's pictures and buttons are shown")
    func buttons() throws {
        let picture = "data:image/png;base64,AAAA"
        let rest =
            #","actions":[{"action":"URI","title":"Open","uri":"https://h/1"},{"action":"ALARM","title":"Alarm"},{"action":"x"}]"#
        for (image, icon, count) in [
            (picture, picture, 2), ("https://h/p.png", "https://h/p.png", 3),
        ] {
            let body = #"{"message":"ring","data":{"tag":"t","image":"\#(image)"\#(rest)}}"#
            var context = DialectContext(level: .clear)
            context.isTrusted = true
            guard
                case .message(let message)? = Dialect.homeAssistant.events(
                    Array(body.utf8), context
                ).first
            else {
                Issue.record("nothing is shown")
                return
            }
            let look = try #require(message.presentation)
            #expect(look.icon == icon && look.actions.count == count)
            #expect(look.actions[0] == .init(name: "URI", label: "Open", link: "https://h/1"))
            #expect(look.actions[1] == .init(name: "ALARM", label: "Alarm"))
            #expect(look.actions.dropFirst(2).map(\.link) == (count == 3 ? [image] : []))
            context.isTrusted = false
            guard
                case .message(let other)? = Dialect.homeAssistant.events(
                    Array(body.utf8), context
                ).first
            else { return }
            #expect(other.presentation?.actions.isEmpty == true)
        }
    }

    @Test("Fields beside Home Assistant's JSON are shown; beside other services' they are named")
    func fields() throws {
        var said = SenderFields()
        for (name, value) in [("Title", "T"), ("Priority", "5"), ("Tags", "x"), ("At", "")] {
            said.record(Array(name.utf8).span, Array(value.utf8).span)
        }
        var own = said
        let home = #"{"message":"m","click":"https://c/","data":{"tag":"t"}}"#
        let kept = try Dialect.plain.payload(of: Array(home.utf8), &own)
        guard
            case .message(let message)? = Dialect.plain.reader(of: kept).events(
                kept, DialectContext(level: .clear)
            ).first
        else {
            Issue.record("nothing is shown")
            return
        }
        let look = try #require(message.presentation)
        #expect(message.chat == .conversation("plain:") && !message.isGroup, "one chat with texts")
        #expect(message.name == "home:t" && look.title == "T" && look.isCritical)
        #expect(look.tags == ["x"] && look.link == "https://c/" && own.ignored.isEmpty)
        let alerts = Array(#"{"alerts":[],"receiver":"r"}"#.utf8)
        #expect(try Dialect.plain.payload(of: alerts, &said) == alerts)
        #expect(said.ignored == ["title", "priority", "tags"])
    }

    @Test("A picture that is too long to be kept is left out and named, not cut")
    func longPicture() throws {
        var said = SenderFields()
        let picture = "data:image/png;base64," + String(repeating: "A", count: 6_000)
        let link = "https://h/" + String(repeating: "b", count: 300)
        let body = #"{"message":"m","data":{"image":"\#(picture)","clickAction":"\#(link)"}}"#
        let kept = try Dialect.plain.payload(of: Array(body.utf8), &said)
        #expect(said.ignored == ["image"])
        let data = try JSONDocument(kept).root["data"]
        #expect(data?["image"]?.text == "" && data?["clickAction"]?.text == link)
    }

    @Test("Each dialect has a word of its own, and each service one that leads to its dialect")
    func words() {
        #expect(Set(Dialect.allCases.map(\.word)).count == Dialect.allCases.count)
        let named = Dialect.allCases.filter { $0 != .topic }
        #expect(named.allSatisfy { Dialect(word: $0.word) == $0 })
        #expect(Set(Dialect.sources.map(\.word)).count == Dialect.sources.count)
        #expect(Dialect.sources.allSatisfy { Dialect(word: $0.word) == $0.dialect })
        #expect(Set(Dialect.sources.map(\.dialect)) == Set(Dialect.ofServices))
        #expect(Dialect(word: "gitea") == .github && Dialect(word: "Grafana") == nil)
        #expect(Dialect(app: "org.Zego.App") == .zpns && Dialect(app: "app") == nil)
    }

    @Test("The JSON of each service is known where scripts push", arguments: try vectors())
    func known(vector: ServiceVector) throws {
        // These have nothing that only the service writes.
        let unmarked = ["not an alert", "a message", "without the header field"]
        guard !unmarked.contains(vector.name) else { return }
        let kept = try payload(Array(vector.payload.utf8), .plain, event: vector.event)
        let (reader, own) = (Dialect.plain.reader(of: kept), Dialect(word: vector.dialect))
        let alerts: [Dialect?] = [.alertmanager, .grafana]
        #expect(reader == own || alerts.contains(reader) && alerts.contains(own))
    }

    /// What the intake makes of a request.
    private func payload(
        _ body: [UInt8], _ dialect: Dialect, event: String? = nil
    ) throws -> [UInt8] {
        var fields = SenderFields()
        if let event {
            let (name, value) = (Array("X-GitHub-Event".utf8), Array(event.utf8))
            fields.record(name.span, value.span)
        }
        return try dialect.payload(of: body, &fields)
    }

    private func shown(_ events: [Event]) -> [ServiceVector.Shown] {
        events.compactMap { event in
            guard case .message(let message) = event else { return nil }
            let look = message.presentation ?? Presentation()
            #expect(message.content.text == look.body && message.senderName == look.title)
            let replaces: [Replacement: String] = [.anew: "anew", .beside: "beside"]
            return ServiceVector.Shown(
                chat: message.chatTitle, title: look.title, body: look.body,
                name: message.name.isEmpty ? nil : message.name,
                link: look.link.isEmpty ? nil : look.link,
                urgency: look.isCritical ? "critical" : look.isLow ? "low" : nil,
                replaces: replaces[message.replacement])
        }
    }

    private func ended(_ events: [Event]) -> [String] {
        events.compactMap { if case .ended(let name, _) = $0 { name } else { nil } }
    }

    @Test("A documented payload becomes these notifications", arguments: try vectors())
    func documented(vector: ServiceVector) throws {
        let dialect = try #require(Dialect(word: vector.dialect))
        let payload = try payload(Array(vector.payload.utf8), dialect, event: vector.event)
        let events = dialect.events(payload, DialectContext(level: .clear))
        #expect(shown(events) == vector.shown)
        #expect(ended(events) == vector.ended)
    }

    @Test("Cut anywhere, a payload is shown as text or as what is left", arguments: try vectors())
    func cut(vector: ServiceVector) throws {
        let dialect = try #require(Dialect(word: vector.dialect))
        let bytes = Array(vector.payload.utf8)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let payload = try payload(Array(bytes[..<length]), dialect, event: vector.event)
            let events = dialect.events(payload, DialectContext(level: .clear))
            #expect(!events.isEmpty && ended(events).isEmpty)
        }
    }

    @Test("Padded beyond a push, a payload is cut and says the same", arguments: try vectors())
    func padded(vector: ServiceVector) throws {
        let dialect = try #require(Dialect(word: vector.dialect))
        guard vector.payload.first == "{" else { return }
        let padding = #"{"padding":[\#(String(repeating: #"{"a":"b"},"#, count: 6_000))0],"#
        let body = Array((padding + vector.payload.dropFirst()).utf8)
        #expect(body.count > 50_000)
        let payload = try payload(body, dialect, event: vector.event)
        #expect(payload.count <= Dialect.cutLimit)
        let events = dialect.events(payload, DialectContext(level: .clear))
        #expect(shown(events) == vector.shown && ended(events) == vector.ended)
    }

    @Test("A short payload stays as it is, byte for byte, unless a field names its event")
    func untouched() throws {
        for dialect in Dialect.ofServices {
            let body = Array(#"{"message" : "m", "x": [1]}"#.utf8)
            #expect(try payload(body, dialect) == body)
        }
        let named = try payload(Array(#"{"a":1}"#.utf8), .github, event: "push")
        #expect(String(decoding: named, as: UTF8.self) == #"{"x-github-event":"push","a":1}"#)
        let bad = try payload(Array(#"{"a":1}"#.utf8), .github, event: "Push \"")
        #expect(String(decoding: bad, as: UTF8.self) == #"{"a":1}"#)
    }

    @Test("GitHub's form is read like its JSON")
    func form() throws {
        let json = #"{"zen":"a+b & é","repository":{"full_name":"o/r"}}"#
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let form = "payload=" + (json.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        let payload = try payload(
            Array((form.replacing("%20", with: "+") + "&x=1").utf8), .github)
        #expect(String(decoding: payload, as: UTF8.self) == json)
        for broken in ["payload=%", "payload=%zz", "payload=%7"] {
            #expect(FormBody.json(Array(broken.utf8)) == nil)
        }
    }

    /// What is shown of an event in a repository.
    private func body(_ members: String, event: String) throws -> String? {
        let body = #"{"repository":{"full_name":"o/r"},"sender":{"login":"bob"},\#(members)}"#
        let payload = try payload(Array(body.utf8), .github, event: event)
        return shown(GitHubDialect.events(payload, DialectContext(level: .clear))).first?.body
    }

    @Test("Commits of a long push that are left out are counted")
    func manyCommits() throws {
        let commit = #"{"message":"\#(String(repeating: "m", count: 400))"}"#
        let all = [String](repeating: commit, count: 20).joined(separator: ",")
        let body = try body(#""ref":"refs/heads/main","commits":[\#(all)]"#, event: "push")
        #expect(body?.hasPrefix("bob pushed 20 commits to main: mmm") == true)
    }

    @Test("A comment on a pull request names it, and a release without a name has none")
    func bareMembers() throws {
        let comment = #""comment":{"id":9,"body":"Why?"},"pull_request":{"number":6,"title":"Up"}"#
        let event = "pull_request_review_comment"
        #expect(try body(comment, event: event) == "bob commented on #6: Up\nWhy?")
        let release = #""action":"published","release":{}"#
        #expect(try body(release, event: "release") == "bob released a release")
    }

    @Test("The run of a fork, and that of another event, has its own place")
    func runs() throws {
        func name(_ members: String) throws -> String? {
            let run = #"{"name":"CI","head_branch":"main","conclusion":"failure",\#(members)}"#
            let body =
                #"{"action":"completed","repository":{"full_name":"o/r"},"workflow_run":\#(run)}"#
            let payload = try payload(Array(body.utf8), .github, event: "workflow_run")
            return shown(GitHubDialect.events(payload, DialectContext(level: .clear))).first?.name
        }
        let own = #""event":"push","head_repository":{"full_name":"o/r"}"#
        let names = try [
            own, #""event":"pull_request","head_repository":{"full_name":"o/r"}"#,
            #""event":"push","head_repository":{"full_name":"eve/r"}"#,
            #""event":"pull_request","head_repository":{"full_name":"eve/r"}"#,
            #""event":"pull_request","head_repository":null"#, #""run_number":2"#,
        ].map { try #require(try name($0)) }
        #expect(Set(names).count == names.count)
        #expect(try name(own + #","run_number":2"#) == names[0])
        let long = String(repeating: "r", count: 129)
        #expect(try name(#""event":"push","head_repository":{"full_name":"\#(long)"}"#) == nil)
    }

    @Test("Of an alert's many labels a cut push keeps the first that are texts")
    func manyLabels() throws {
        let long = String(repeating: "x", count: 100)
        let labels = (1...80).map { #""l\#($0)":"\#(long)""# }.joined(separator: ",")
        let body = #"{"alerts":[{"status":"firing","labels":{"l0":5,\#(labels)}}]}"#
        let payload = try payload(Array(body.utf8), .alertmanager)
        let events = AlertsDialect.events(payload, DialectContext(level: .clear))
        #expect(shown(events).first?.body.hasPrefix("l1=x") == true)
    }

    @Test("A cut push of alerts keeps their common name, however they are grouped")
    func commonName() throws {
        let labels = #""groupLabels":{"job":"node"},"commonLabels":{"alertname":"Disk"}"#
        let alert = #"{"status":"firing","labels":{"alertname":"Disk"}}"#
        let padding = #""padding":"\#(String(repeating: "x", count: Dialect.cutLimit))""#
        let body = #"{"receiver":"desk",\#(labels),"alerts":[\#(alert)],\#(padding)}"#
        let payload = try payload(Array(body.utf8), .alertmanager)
        let events = AlertsDialect.events(payload, DialectContext(level: .clear))
        #expect(shown(events).map(\.chat) == ["Disk"])
    }

    @Test("Hundreds of alerts: a few are shown, the rest counted, and all resolved ones end")
    func manyAlerts() throws {
        func alert(_ number: Int, _ status: String) -> String {
            let long = String(repeating: "x\\u0001", count: 8)
            return
                #"{"status":"\#(status)","fingerprint":"\#(status.first ?? "x")\#(number)","labels":{"alertname":"Disk","instance":"\#(long)"},"annotations":{"summary":"s\#(number)","description":"\#(long)"}}"#
        }
        let all =
            (0..<100).map { alert($0, "firing") } + (0..<100).map { alert($0, "resolved") }
        let body =
            #"{"groupKey":"{}","truncatedAlerts":5,"alerts":[\#(all.joined(separator: ","))]}"#
        #expect(body.utf8.count < 65_536)
        let payload = try payload(Array(body.utf8), .alertmanager)
        #expect(payload.count <= Dialect.cutLimit)
        for bytes in [payload, Array(body.utf8)] {
            let events = AlertsDialect.events(bytes, DialectContext(level: .clear))
            let shown = shown(events)
            let (rest, count) = (try #require(shown.last), shown.count - 1)
            #expect(rest.body == "\(105 - count) more alerts" && (1...16).contains(count))
            #expect(ended(events).count == 100)
        }
    }

    @Test("No payload of 64 KiB is kept beyond the size of a push", arguments: Dialect.ofServices)
    func hostile(dialect: Dialect) throws {
        let deep = #"{"alerts":"# + String(repeating: #"[{"data":"#, count: 400)
        let name = String(repeating: "commits", count: 1_000)
        let wide =
            #"{"alerts":["#
            + (0..<900).map { #"{"status":"resolved","fingerprint":"\#($0)\#(name.prefix(40))"}"# }
            .joined(separator: ",") + "]}"
        let fields = ["message", "body", "title", "name", "msg", "groupKey", "login", "ref"]
        let long =
            "{"
            + fields.map { #""\#($0)":"\#(String(repeating: "\\u0000", count: 1_200))""# }
            .joined(separator: ",") + "}"
        let text = String(repeating: "é", count: 32_000)
        for body in [deep, wide, long, text, String(repeating: "[", count: 65_536)] {
            let payload = try payload(Array(body.utf8), dialect, event: "push")
            #expect(payload.count <= Dialect.cutLimit, "\(body.prefix(40))")
            #expect(dialect.events(payload, DialectContext(level: .clear)).count <= 1_000)
        }
    }

    @Test("A name that is too long to be one names nothing")
    func longNames() {
        let long = String(repeating: "n", count: 129)
        let alert =
            #"{"alerts":[{"status":"firing","fingerprint":"\#(long)","labels":{"alertname":"A"}}]}"#
        let events = AlertsDialect.events(Array(alert.utf8), DialectContext(level: .clear))
        #expect(shown(events).first?.name == nil)
    }
}
