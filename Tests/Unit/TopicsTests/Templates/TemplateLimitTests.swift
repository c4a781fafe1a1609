import Base
import Testing

@testable import Topics

@Suite("Limits of templates")
struct TemplateLimitTests {
    private static let numbers =
        "[" + Array(repeating: "1", count: 60_000).joined(separator: ",") + "]"

    /// Each would go on for hours, or fill the memory.
    static let endless: [String] = [
        "{{range .}}{{range $}}{{range $}}{{range $}}{{end}}{{end}}{{end}}{{end}}",
        "{{range .}}{{range $}}x{{end}}{{end}}",
        "{{range .}}{{range $}}{{continue}}{{end}}{{end}}",
        "{{range .}}{{range $}}{{$x := 1}}{{end}}{{end}}",
        "{{range 999999999999}}{{end}}",
        #"{{$x := "ab"}}{{range .}}{{$x = print $x $x}}{{end}}"#,
        #"{{$x := "ab"}}{{range .}}{{$x = printf "%s%s" $x $x}}{{end}}"#,
        #"{{$x := "ab"}}{{range .}}{{$x = replace "a" $x $x}}{{end}}"#,
        "{{$x := 1}}{{range .}}{{$x = list $x $x}}{{end}}{{$x}}",
        "{{range .}}{{$}}{{end}}",
        "{{range .}}{{$x := print $}}{{end}}",
        #"{{repeat 999999999 "ab"}}"#, #"{{repeat 9223372036854775807 "ab"}}"#,
        #"{{$x := repeat 100000 "a"}}{{range .}}{{$y := upper $x}}{{end}}"#,
        #"{{$x := repeat 500000 "a"}}{{contains (print (repeat 250000 "a") "b") $x}}"#,
        #"{{$x := repeat 500000 "a"}}{{range .}}{{$y := eq $x (print $x "")}}{{end}}"#,
        #"{{$x := repeat 100000 "a"}}{{range .}}{{$y := hasPrefix "b" $x}}{{end}}"#,
        #"{{$x := print $}}{{range .}}{{$y := splitList " " $x}}{{end}}"#,
        #"{{$x := print $}}{{range .}}{{$y := split " " $x}}{{end}}"#,
        "{{range .}}{{$y := slice $ 1}}{{end}}",
        #"{{join (repeat 100000 "a") $}}"#, #"{{printf "%1001d" 1}}"#,
        #"{{printf "%.999999999999999999999f" 1.5}}"#,
    ]

    @Test("A template that never ends is refused", arguments: endless)
    func neverEnds(_ template: String) {
        let time = ContinuousClock().measure {
            #expect(GoTemplateTests.result(template, Self.numbers).failure == "run")
        }
        #expect(time < .seconds(30))
    }

    @Test("What ends is not refused")
    func ends() {
        let text = GoTemplateTests.result("{{range .}}{{if .}}x{{end}}{{end}}", Self.numbers).text
        #expect(text?.utf8.count == 60_000)
    }

    @Test("A long name takes as long as its bytes, also if it is not there")
    func longNames() {
        let name = String(repeating: "x", count: 5_000)
        let template = "{{range 50000}}{{if $.\(name)}}{{end}}{{end}}"
        for json in [#"{"\#(name)":1}"#, #"{"\#(name)y":1}"#] {
            #expect(GoTemplateTests.result(template, json).failure == "run")
        }
    }

    @Test("The templates of one request have one limit")
    func together() {
        let turns = "{{range 60000}}{{if .}}{{end}}{{end}}"
        func refusal(_ title: String) -> NtfyRefusal? {
            do throws(NtfyRefusal) {
                let template = try MessageTemplate(message: turns, title: title, priority: title)
                _ = try template.apply(body: Array("{}".utf8))
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal("") == nil)
        #expect(refusal(turns) == .failedTemplate)
    }

    static func nested(_ count: Int) -> [String] {
        func repeated(_ text: String) -> String { String(repeating: text, count: count) }
        return [
            repeated("{{if true}}") + "x" + repeated("{{end}}"),
            repeated("{{range .}}") + "x" + repeated("{{end}}"),
            "{{if false}}" + repeated("{{else if false}}") + "{{else}}x{{end}}",
            "{{" + repeated("(") + "1" + repeated(")") + "}}",
            "{{1" + repeated(" | print") + "}}",
            "{{" + repeated("(print ") + "1" + repeated(")") + "}}",
            "{{" + repeated("(") + ".x" + repeated(".x)") + "}}",
        ]
    }

    @Test("Deep nesting is read up to a limit", arguments: [20, 200, 4_000])
    func depth(_ count: Int) {
        for template in Self.nested(count) {
            let failure = GoTemplateTests.result(template, "[1]").failure
            #expect((failure == "template") == (count > 64))
        }
        #expect(GoTemplateTests.result(String(repeating: "x", count: 70_000), "1").failure != nil)
        let variables = String(repeating: "{{$x := 1}}", count: count)
        #expect((GoTemplateTests.result(variables, "1").failure == nil) == (count < 256))
    }

    @Test("The deepest template over the deepest JSON needs little of the stack")
    func deepest() {
        let json = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let range = String(repeating: "{{range .}}", count: 60)
        let end = String(repeating: "{{end}}", count: 60)
        let (open, close) = ("(print ", ")")
        let inner = String(repeating: open, count: 60) + "." + String(repeating: close, count: 60)
        let text = GoTemplateTests.result(range + "{{\(inner)}}" + end, json).text
        #expect(text?.utf8.count == 80)
    }

    @Test("Any text is a template or is refused")
    func anything() {
        let words = [
            "{{", "}}", "{{-", "-}}", " ", "if", "else", "end", "range", "with", ".", ".a", ".b.c",
            "$", "$x", ":=", "=", "|", "(", ")", ",", "\"", "`", "\\", "'", "1", "-2.5e3", "nil",
            "true", "/*", "*/", "print", "printf", "\"%d\"", "eq", "index", "slice", "len", "trunc",
            "replace", "é", "\u{0}", "\n", "break", "continue", "call", "define", "x", "@", "#",
        ]
        var random = SystemRandomNumberGenerator()
        var counts: [String: Int] = [:]
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...14, using: &random)
            let inside = (0..<length).map { _ in words.randomElement(using: &random) ?? "" }
            let isSpaced = Bool.random(using: &random)
            let text = inside.joined(separator: isSpaced ? " " : "")
            let template = Bool.random(using: &random) ? "{{" + text + "}}" : text
            let (result, failure) = GoTemplateTests.result(template, #"{"a":{"b":1},"b":[1,null]}"#)
            #expect((result == nil) != (failure == nil))
            counts[failure ?? "ok", default: 0] += 1
        }
        #expect(counts["ok", default: 0] > 100 && counts["template", default: 0] > 100)
    }

    @Test("A template cut anywhere is read or refused")
    func cut() {
        let whole = #"""
            a {{- range $i, $e := .l -}} {{if eq $e "x"}}{{$i | printf "%d"}}{{end}}{{end}} b
            """#
        let json = #"{"l":["x","y"]}"#
        #expect(GoTemplateTests.result(whole, json).text == "a0 b")
        for length in 0..<whole.utf8.count {
            let part = String(decoding: Array(whole.utf8.prefix(length)), as: UTF8.self)
            _ = GoTemplateTests.result(part, json)
        }
    }
}
