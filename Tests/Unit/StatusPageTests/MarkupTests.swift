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

    @Test("A moment has its date and its time of day")
    func moments() {
        let time = PageFrame(language: .english).time(86_399)
        let shown = ">1970-01-01 23:59:59 UTC</time>"
        #expect(time.source == "<time datetime=\"1970-01-01T23:59:59Z\"" + shown)
    }

    @Test("markup is put in as it is, and so are numbers")
    func nests() {
        let inner: Markup = "<b>\(1)</b>"
        let outer: Markup = "<p>\(inner)\([inner, inner])</p>"
        #expect(outer.source == "<p><b>1</b><b>1</b><b>1</b></p>")
    }
}
