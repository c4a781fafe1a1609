import Testing

@testable import Terminal

@Suite("What a terminal is sent")
struct ScreenPainterTests {
    private func screen(_ text: String, _ style: Style = .plain) -> Screen {
        var screen = Screen(ScreenSize(rows: 2, columns: 10))
        screen.write(text, row: 0, columns: 0..<10, style)
        return screen
    }

    @Test("Only what has changed is sent")
    func difference() {
        var painter = ScreenPainter(hasColour: true)
        #expect(
            painter.paint(screen("abc")) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1Habc\u{1B}[K")
        #expect(painter.paint(screen("abc")) == "")
        #expect(painter.paint(screen("abx")) == "\u{1B}[1;3Hx\u{1B}[K")
        #expect(painter.paint(screen("")) == "\u{1B}[1;1H\u{1B}[K")
        painter.forget()
        #expect(painter.paint(screen("")) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J")
    }

    @Test("After a character that is not ASCII, the place of the next one is said")
    func places() {
        var painter = ScreenPainter(hasColour: true)
        _ = painter.paint(screen(""))
        #expect(
            painter.paint(screen("a日b"))
                == "\u{1B}[1;1Ha日\u{1B}[1;4Hb\u{1B}[K")
        // The first half has to be drawn with the second.
        #expect(painter.paint(screen("a日c")) == "\u{1B}[1;4Hc\u{1B}[K")
        #expect(painter.paint(screen("ab")) == "\u{1B}[1;2Hb\u{1B}[K")
    }

    @Test("Colours are sent only where they are wanted")
    func colours() {
        var coloured = ScreenPainter(hasColour: true)
        var plain = ScreenPainter(hasColour: false)
        let text = screen("a", Style.coloured(.green))
        #expect(coloured.paint(text).contains("\u{1B}[0;32ma\u{1B}[0m"))
        #expect(!plain.paint(text).contains("32"))
    }

    @Test(
        "No text brings an escape of its own",
        arguments: ["\u{1B}]0;x\u{7}", "\u{9B}2J", "\u{202E}a"])
    func hostile(text: String) {
        var painter = ScreenPainter(hasColour: true)
        let empty = painter.paint(screen("")).unicodeScalars.count { $0 == "\u{1B}" }
        let output = painter.paint(screen(text)).unicodeScalars
        #expect(empty == 3 && output.count { $0 == "\u{1B}" } <= 2)
        #expect(!output.contains { (0x7F...0x9F).contains($0.value) || $0.value == 0x202E })
    }
}
