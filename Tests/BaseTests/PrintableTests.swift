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

    @Test("A long text is cut and says so")
    func limit() {
        #expect(Printable.text("abcdef", limit: 3) == "abc…")
        #expect(Printable.text("abc", limit: 3) == "abc")
    }
}
