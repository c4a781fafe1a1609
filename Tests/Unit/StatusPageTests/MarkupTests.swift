import Base
import Testing

@testable import StatusPage

struct MarkupTests {
    @Test("text cannot become an element, end an attribute or change the direction of reading")
    func escapes() {
        let text = "<script>\"'&\u{202E}\u{0}"
        let markup: Markup = "<p title=\"\(text)\">\(text)</p>"
        let safe = "&lt;script&gt;&quot;&#39;&amp;\\u{202e}\\u{0}"
        #expect(markup.source == "<p title=\"\(safe)\">\(safe)</p>")
    }

    @Test("A moment says how far it is, and has its date and its time of day")
    func moments() {
        let time = PageFrame(language: .english).time(86_399, from: 86_520)
        let title = " title=\"1970-01-01 23:59:59 UTC\">2 min ago</time>"
        #expect(time.source == "<time datetime=\"1970-01-01T23:59:59Z\"" + title)
    }

    @Test("markup is put in as it is, and so are numbers")
    func nests() {
        let inner: Markup = "<b>\(1)</b>"
        let outer: Markup = "<p>\(inner)\([inner, inner])</p>"
        #expect(outer.source == "<p><b>1</b><b>1</b><b>1</b></p>")
    }
}
