import Base
import Testing

@Suite("Markdown on the screen")
struct MarkdownTextTests {
    @Test(
        "Marks become markup, and a text without them",
        arguments: [
            ("**bold** and *italic*", "<b>bold</b> and <i>italic</i>", "bold and italic"),
            ("__bold__ _it_", "<b>bold</b> <i>it</i>", "bold it"),
            ("**a *b* c**", "<b>a </b><b><i>b</i></b><b> c</b>", "a b c"),
            ("`a*b*` and ``x`y``", "a*b* and x`y", "a*b* and x`y"),
            ("# Title\ntext", "<b>Title</b>\ntext", "Title\ntext"),
            ("- one\n  * two\n1. three", "• one\n  • two\n1. three", "• one\n  • two\n1. three"),
            (
                "[here](https://h/?a&b)", #"<a href="https://h/?a&amp;b">here (h)</a>"#,
                "here (https://h/?a&b)"
            ),
            ("<https://h/>", #"<a href="https://h/">https://h/</a>"#, "https://h/"),
            ("![a](https://h/p)", #"<a href="https://h/p">a (h)</a>"#, "a (https://h/p)"),
            ("[x](javascript:1) [y](http://h)", "x y", "x y"),
            ("```sh\na **b**\n```\nc", "a **b**\nc", "a **b**\nc"),
            ("---", "———", "———"),
            (#"\*no\* 2*3*4 a_b_c"#, "*no* 2<i>3</i>4 a_b_c", "*no* 234 a_b_c"),
            ("* * **", "• * **", "• * **"),
            ("**open [a] (b) <x>", "**open [a] (b) &lt;x&gt;", "**open [a] (b) <x>"),
            ("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;", "<b>&amp;</b>"),
        ])
    func marks(text: String, markup: String, plain: String) {
        let read = MarkdownText(text)
        #expect(read.markup(hasLinks: true) == markup)
        #expect(read.plain == plain)
    }

    @Test(
        "A text that is not the address of a link has the host behind it",
        arguments: [
            ("https://bank.example", "https://evil.example", "evil.example"),
            ("bank.example/login", "https://evil.example/bank.example", "evil.example"),
            ("to (www.bank.example), please", "https://evil.example", "evil.example"),
            (
                "https://bank.example", "https://bank.example.evil.example",
                "bank.example.evil.example"
            ),
            ("https://bank.example", "https://bank.example@evil.example/", "evil.example"),
            ("https://bank.example", #"https://evil.example\@bank.example/"#, "evil.example"),
            ("bänk.example", "https://evil.example:443/", "evil.example"),
            ("http://[::1]/", "https://[::2]/", "[::2]"),
            ("https://Bank.example/a", "https://bank.example/b?c", nil),
            ("bank.example", "https://www.bank.example/", nil),
            ("bank.example?a", "https://bank.example?b", nil),
            ("HTTPS://WWW.bank.example#a", "https://bank.example/", nil),
            ("bank.example.evil", "https://bank.example/", "bank.example"),
            (
                "https://bank.example@evil.example/", "https://bank.example@evil.example/",
                "evil.example"
            ),
            ("the build of 12.5 is green", "https://ci.example/", "ci.example"),
            ("pay\u{200B}pal.com", "https://evil.example", "evil.example"),
            ("pay\u{2060}pal.com", "https://evil.example", "evil.example"),
            ("paypal\u{AD}.com", "https://evil.example", "evil.example"),
            ("paypal\u{2024}com", "https://evil.example", "evil.example"),
            ("paypal\u{3002}com", "https://evil.example", "evil.example"),
            ("paypal\u{FF0E}com", "https://evil.example", "evil.example"),
            ("bank.xn--p1ai", "https://evil.example", "evil.example"),
            ("192.168.0.1", "https://evil.example", "evil.example"),
            ("bank.example", "https:///evil.example", "evil.example"),
            ("bank.example", #"https://\/evil.example"#, "evil.example"),
            ("bank.example", "https://www.", "https://www."),
        ] as [(String, String, String?)])
    func hiddenHosts(text: String, link: String, host: String?) {
        let shown = Printable.markup(host.map { "\(text) (\($0))" } ?? text)
        #expect(
            MarkdownText("[\(text)](\(link))").markup(hasLinks: true)
                == "<a href=\"\(link)\">\(shown)</a>")
    }

    @Test("Links side by side have their hosts behind them, whatever they say together")
    func adjacent() {
        let evil = "https://evil.example"
        #expect(
            MarkdownText("[paypal](\(evil))[.com](\(evil))").markup(hasLinks: true)
                == "<a href=\"\(evil)\">paypal (evil.example)</a>"
                + "<a href=\"\(evil)\">.com (evil.example)</a>")
        #expect(
            MarkdownText("[evil.example](\(evil))[.paypal.com](https://h)").markup(hasLinks: true)
                == "<a href=\"\(evil)\">evil.example (evil.example)</a>"
                + "<a href=\"https://h\">.paypal.com (h)</a>")
    }

    @Test("Readers without links are told where they lead")
    func withoutLinks() {
        let read = MarkdownText("**[here](https://h/)**")
        #expect(read.markup(hasLinks: false) == "<b>here (https://h/)</b>")
    }

    @Test("Whatever comes, the markup is well formed and has no other elements")
    func random() {
        var random = Numbers(state: 7)
        let parts = [
            "*", "**", "_", "__", "`", "``", "[", "](", ")", "!", "<", ">", "&", "\\", "\"", "'",
            "https://h/", "a", " ", "\n", "# ", "- ", "```", "é", "\u{202E}", "<a href=", "</b>",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<40, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let read = MarkdownText(text)
            for hasLinks in [true, false] {
                let markup = read.markup(hasLinks: hasLinks)
                #expect(Self.isWellFormed(markup, hasLinks), "\(text) became \(markup)")
            }
        }
    }

    @Test(
        "A long line of marks takes no long time",
        arguments: ["*a ", "[", "[a](", "`", "<https://", "_a*"])
    func long(mark: String) {
        let text = String(repeating: mark, count: 100_000)
        let time = ContinuousClock().measure { _ = MarkdownText(text).markup(hasLinks: true) }
        #expect(time < .seconds(20))
    }

    @Test("Runs of backticks of all lengths are looked for once")
    func runs() {
        let runs = (1...400).reversed().map { String(repeating: "`", count: $0) }
        let text = "x " + runs.joined(separator: " ")
        var markup = ""
        let time = ContinuousClock().measure {
            markup = MarkdownText(text).markup(hasLinks: true)
        }
        #expect(markup == text && time < .seconds(5))
        #expect(MarkdownText("``a`b`` `c``d`").plain == "a`b c``d")
    }

    /// Elements are closed in order, and what else begins with < or & is an entity.
    static func isWellFormed(_ markup: String, _ hasLinks: Bool) -> Bool {
        var open: [String] = []
        var rest = markup[...]
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"]
        while let next = rest.first {
            if next == "&" {
                guard let entity = entities.first(where: rest.hasPrefix) else { return false }
                rest = rest.dropFirst(entity.count)
            } else if next == "<" {
                guard let end = rest.firstIndex(of: ">") else { return false }
                let tag = rest[rest.index(after: rest.startIndex)..<end]
                rest = rest[rest.index(after: end)...]
                if tag.hasPrefix("/") {
                    guard open.popLast() == String(tag.dropFirst()) else { return false }
                } else if tag == "b" || tag == "i" {
                    open.append(String(tag))
                } else {
                    let link = "a href=\"https://"
                    guard hasLinks, tag.hasPrefix(link), tag.hasSuffix("\""),
                        !tag.dropFirst(link.count).dropLast().contains("\"")
                    else { return false }
                    open.append("a")
                }
            } else {
                rest = rest.dropFirst()
            }
        }
        return open.isEmpty
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
