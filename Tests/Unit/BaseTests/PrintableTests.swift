import Base
import Testing

@Suite("Text from outside")
struct PrintableTests {
    @Test("Control characters and bidi marks become visible")
    func escapes() {
        #expect(Printable.text("plain äöü 😀") == "plain äöü 😀")
        #expect(Printable.text("a\u{1B}[2Jb") == "a\\u{1b}[2Jb")
        #expect(Printable.text("\u{202E}evil\u{2069}") == "\\u{202e}evil\\u{2069}")
        #expect(Printable.text("x\r\ny") == "x\\u{d}\\u{a}y")
        for value in Array(0..<0x20) + Array(0x7F...0x9F) as [UInt32] {
            let scalar = Unicode.Scalar(value).map(String.init) ?? ""
            #expect(Printable.text(scalar) == "\\u{\(String(value, radix: 16))}")
        }
    }

    @Test("On the screen unsafe characters are left out, and line breaks stay if allowed")
    func screen() {
        let text = "a\u{202E}b\u{0}\r\nc\u{2028}d\te"
        #expect(Printable.onScreen(text, limit: 20) == "ab c d e")
        #expect(Printable.onScreen(text, limit: 20, keepsLines: true) == "ab\nc\nd e")
    }

    @Test(
        "On the screen a text is cut between characters, counting scalars",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("", 3, ""),
            ("e\u{301}e\u{301}", 3, "e\u{301}…"),
            ("👨‍👩‍👧👨‍👩‍👧", 6, "👨‍👩‍👧…"), ("👨‍👩‍👧", 3, "…"), ("a\u{202E}\u{202E}bc", 3, "abc"),
        ])
    func screenLimit(text: String, limit: Int, expected: String) {
        #expect(Printable.onScreen(text, limit: limit) == expected)
    }

    @Test("A long text is cut and says so")
    func limit() {
        #expect(Printable.text("abcdef", limit: 3) == "abc…")
        #expect(Printable.text("a\u{301}\u{301}\u{301}b", limit: 3) == "a\u{301}\u{301}…")
        #expect(Printable.text("abc", limit: 3) == "abc")
    }
}
