import Base
import TestSupport
import Testing

@testable import Topics

@Suite("Templates of messages")
struct MessageTemplateTests {
    private static func apply(
        _ message: String = "", title: String = "", priority: String = "", _ body: String = "{}"
    ) throws(NtfyRefusal) -> TopicContent {
        let template = try MessageTemplate(message: message, title: title, priority: priority)
        return try template.apply(body: Array(body.utf8))
    }

    private static func refusal(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NtfyRefusal)?.code
        }
    }

    @Test("Title, text and priority are templates over the body")
    func inline() throws {
        let content = try Self.apply(
            "Error message: {{.error.desc}}", title: "{{.hostname}}: A {{.error.level}} error",
            priority: #"{{if eq .error.level "severe"}}5{{else}}3{{end}}"#,
            #"{"hostname":"phil-pc","error":{"level":"severe","desc":"Disk is full"}}"#)
        #expect(content.title == "phil-pc: A severe error")
        #expect(content.text == "Error message: Disk is full")
        #expect(content.priority == 5)
    }

    @Test("Names that look alike are two")
    func alike() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        let content = try Self.apply("{{.\(one)}}", #"{"\#(one)":"a","\#(two)":"b"}"#)
        #expect(content.text == "a")
    }

    @Test("Two characters are a line break, and white space around the text is left out")
    func lines() throws {
        let content = try Self.apply(#"  {{.a}}\n\n- {{.b}}\n"#, #"{"a":"x\ny","b":"c\\nd"}"#)
        #expect(content.text == "x\ny\n\n- c\nd")
        #expect(try Self.apply(#"a\tb\"#).text == #"a\tb\"#)
    }

    @Test("The priority is a number, a word or nothing")
    func priority() throws {
        #expect(try Self.apply(priority: " {{.p}} ", #"{"p":"urgent"}"#).priority == 5)
        #expect(try Self.apply(priority: "{{.p}}", #"{"p":2}"#).priority == 2)
        #expect(try Self.apply(priority: "{{if .p}}1{{end}}").priority == 0)
        #expect(Self.refusal { _ = try Self.apply(priority: "{{.p}}") } == 40007)
    }

    static let refusals: [(message: String, body: String, code: Int?)] = [
        ("{{.a}}", "{}", nil),
        ("{{.a}}", "null", nil),
        ("{{.a}}", "", 40042),
        ("{{.a}}", "not JSON", 40042),
        ("{{.a}}", #"{"a":1} x"#, 40042),
        ("{{.a", "{}", 40043),
        ("{{unknown .a}}", "{}", 40043),
        (#"{{env "HOME"}}"#, "{}", 40043),
        (#"{{template "x"}}"#, "{}", 40044),
        (#"{{- define "x"}}{{end}}"#, "{}", 40044),
        (#"{{block "x" .}}{{end}}"#, "{}", 40044),
        ("{{call .a}}", "{}", 40044),
        ("{{.a | call}}", "{}", 40044),
        ("{{upper .a}}", "{}", 40045),
        (#"{{fail "no"}}"#, "{}", 40045),
        ("{{range 99999999}}x{{end}}", "{}", 40045),
        (#"{{repeat 4096 "x"}}"#, "{}", nil),
        (#"{{repeat 4097 "x"}}"#, "{}", 40041),
        (#"{{repeat 1366 "€"}}"#, "{}", 40041),
    ]

    @Test("What is refused has its number", arguments: refusals)
    func refused(_ row: (message: String, body: String, code: Int?)) {
        #expect(Self.refusal { _ = try Self.apply(row.message, row.body) } == row.code)
        #expect(Self.refusal { _ = try Self.apply(title: row.message, row.body) } == row.code)
    }

    @Test("A body has a limit")
    func size() throws {
        let template = try MessageTemplate(message: "{{len .}}", title: "", priority: "")
        func body(_ count: Int) -> [UInt8] {
            Array(("\"" + String(repeating: "x", count: count - 2) + "\"").utf8)
        }
        #expect(try template.apply(body: body(131_072)).text == "131070")
        #expect(Self.refusal { _ = try template.apply(body: body(131_073)) } == 41303)
    }

    @Test("Templates of services are known by name")
    func names() throws {
        for name in ["", "yes", "GitHub", "../github", "slack"] {
            #expect(Self.refusal { _ = try MessageTemplate(named: name) } == 40047)
        }
        let issue = #"""
            {"action":"opened","issue":{"number":5,"title":"Hm","html_url":"https://g/5"},
            "repository":{"full_name":"ann/bell"},"sender":{"login":"bob"}}
            """#
        let github = try MessageTemplate(named: "github").apply(body: Array(issue.utf8))
        #expect(github.title == "ann/bell")
        #expect(github.text == "bob opened issue #5: Hm")
        #expect(github.click == "https://g/5")
        let star = #"""
            {"action":"created","starred_at":"2026-01-01T00:00:00Z",
            "repository":{"full_name":"ann/bell"},"sender":{"login":"bob"}}
            """#
        let starred = try MessageTemplate(named: "github").apply(body: Array(star.utf8))
        #expect(starred.text == "bob: star created")
        let alert = #"""
            {"status":"firing","receiver":"r","alerts":[{"status":"firing","labels":{"alertname":
            "Load","severity":"critical"},"annotations":{"summary":"Load is 12"},
            "generatorURL":"https://p/1"}]}
            """#
        for name in ["grafana", "alertmanager"] {
            let content = try MessageTemplate(named: name).apply(body: Array(alert.utf8))
            #expect(content.title == "Load is 12" && content.text == "Load")
            #expect(content.click == "https://p/1" && content.priority == 5)
        }
        let titled = #"{"status":"firing","title":"CPU","message":"too hot"}"#
        let plain = try MessageTemplate(named: "grafana").apply(body: Array(titled.utf8))
        #expect(plain.title == "CPU" && plain.text == "too hot" && plain.tags.isEmpty)
        for name in ["github", "grafana", "alertmanager"] {
            let template = try MessageTemplate(named: name)
            for body in ["{}", "[]", "1", #"{"status":"firing","alerts":[]}"#] {
                #expect(Self.refusal { _ = try template.apply(body: Array(body.utf8)) } == 40045)
            }
            #expect(Self.refusal { _ = try template.apply(body: Array("x".utf8)) } == 40042)
        }
    }

    @Test("A template does not print what it holds")
    func confidential() throws {
        let template = try MessageTemplate(message: "secret", title: "", priority: "")
        #expect("\(template)" == "<MessageTemplate>")
        var text = ""
        dump(template, to: &text)
        #expect(!text.contains("secret"))
    }
}
