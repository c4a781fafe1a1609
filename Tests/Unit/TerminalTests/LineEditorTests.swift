import Testing

@testable import Terminal

@Suite("A line that is typed")
struct LineEditorTests {
    private func line(_ keys: [Key]) -> LineEditor {
        var editor = LineEditor()
        for key in keys { _ = editor.take(key) }
        return editor
    }

    @Test("Keys change the text around the cursor")
    func editing() {
        #expect(line([.text("a"), .text("c"), .left, .text("b")]).text == "abc")
        #expect(line([.paste("abc"), .home, .delete, .end, .backspace]).text == "b")
        #expect(line([.paste("one two "), .control("w")]).text == "one ")
        #expect(line([.paste("one two"), .control("a"), .right, .control("k")]).text == "o")
        #expect(line([.paste("one two"), .left, .control("u")]).text == "o")
        #expect(line([.left, .backspace, .delete, .right, .control("w")]).text == "")
        var editor = LineEditor()
        let isTaken = editor.take(.up) || editor.take(.enter)
        #expect(!isTaken)
    }

    @Test("A combining mark joins, and one key removes both")
    func combining() {
        let editor = line([.text("e"), .text("\u{301}"), .text("x")])
        #expect(editor.text == "e\u{301}x" && editor.shown(in: 10).cursor == 2)
        #expect(line([.text("e"), .text("\u{301}"), .backspace]).text == "")
        #expect(line([.text("a"), .text("x"), .left, .text("\u{301}"), .backspace]).text == "x")
    }

    @Test("Nothing that cannot be seen is taken, and breaks become spaces")
    func hostile() {
        #expect(line([.paste("a\u{1B}[2J\nb\u{202E}c\u{9B}")]).text == "a[2J bc")
    }

    @Test("The line has a limit")
    func limit() {
        let editor = line([.paste(String(repeating: "日", count: 5_000)), .text("x")])
        #expect(editor.text.utf8.count <= LineEditor.limit)
        #expect(editor.text.utf8.count > LineEditor.limit - 3)
    }

    @Test("A text as wide as the line is shown whole, unless the cursor is behind it")
    func exact() {
        #expect(line([.paste("日本x"), .home]).shown(in: 5).glyphs.count == 3)
        #expect(line([.paste("日本x"), .home]).shown(in: 4).glyphs.count == 2)
        #expect(line([.paste("日本x")]).shown(in: 6).glyphs.count == 3)
        #expect(line([.paste("日本x")]).shown(in: 5).glyphs.count == 2)
    }

    @Test("The part around the cursor is shown", arguments: 1...12)
    func shown(width: Int) {
        for editor in [
            line([.paste("日本語 text")]), line([.paste("日本語 text"), .home]),
            line([.paste("日本語 text"), .home, .right, .right]),
        ] {
            let (glyphs, cursor) = editor.shown(in: width)
            #expect(Glyph.width(glyphs) <= width && cursor < width)
        }
    }
}
