import Testing

@testable import Terminal

@Suite("Characters of a line")
struct GlyphTests {
    private func text(_ glyphs: [Glyph]) -> String { glyphs.map(\.text).joined() }

    @Test("Control characters and marks of direction are seen, breaks are spaces")
    func hostile() {
        #expect(text(Glyph.line("a\u{1B}[2Jb")) == "a\\u{1b}[2Jb")
        #expect(text(Glyph.line("\u{9B}31m")) == "\\u{9b}31m")
        #expect(text(Glyph.line("\u{202E}evil\u{2066}")) == "\\u{202e}evil\\u{2066}")
        #expect(text(Glyph.line("one\r\ntwo\tthree")) == "one two three")
        #expect(text(Glyph.line("a\u{200B}\u{200B}b")) == "ab")
    }

    @Test("A pile of marks is cut, and the width stays right")
    func pile() {
        let glyphs = Glyph.line("x" + String(repeating: "\u{301}", count: 500) + "y")
        #expect(glyphs.count == 2 && Glyph.width(glyphs) == 2)
        #expect(glyphs[0].text.unicodeScalars.count == 16)
    }

    @Test("What does not fit ends in an ellipsis, whatever its characters", arguments: 0...9)
    func fitted(width: Int) {
        let glyphs = Glyph.fitted(Glyph.line("a日本語b日本"), width)
        #expect(Glyph.width(glyphs) <= width)
        #expect(width == 0 ? glyphs.isEmpty : glyphs.last?.text == "…")
    }

    @Test("Lines break at spaces, and the last one says that there is more")
    func wrapped() {
        func lines(_ text: String, _ width: Int, _ limit: Int = 9) -> [String] {
            Glyph.wrapped(Glyph.line(text), width, lines: limit).map { self.text($0) }
        }
        #expect(lines("one two three", 8) == ["one two", "three"])
        #expect(lines("one two three", 7) == ["one two", "three"])
        #expect(lines("abcdefgh", 3) == ["abc", "def", "gh"])
        #expect(lines("one two three four", 8, 2) == ["one two", "three f…"])
        #expect(lines("日本語", 5) == ["日本", "語"])
        #expect(lines("日本語", 1) == [])
        #expect(lines("", 5) == [])
    }
}
