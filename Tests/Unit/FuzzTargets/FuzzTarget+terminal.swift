import Terminal

/// What is typed, and what is shown.
extension FuzzTarget {
    private static let keysThatMove: [Key] = [.left, .home, .right, .end, .backspace]

    /// The first byte says where the rest is cut.
    static func readKeys(_ bytes: [UInt8]) {
        let rest = bytes.dropFirst()
        let place = rest.startIndex + Int(bytes.first ?? 0) % max(rest.count, 1)
        var (whole, cut) = (KeyDecoder(), KeyDecoder())
        let keys = whole.decode(rest)
        let same = cut.decode(rest[..<min(place, rest.endIndex)])
        precondition(
            same + cut.decode(rest[min(place, rest.endIndex)...]) == keys, "a cut changes keys")
        var editor = LineEditor()
        for (number, key) in (keys + whole.flush()).enumerated() {
            _ = editor.take(key)
            _ = editor.take(keysThatMove[number % keysThatMove.count])
            precondition(editor.text.utf8.count <= LineEditor.limit, "the line is too long")
            let (glyphs, cursor) = editor.shown(in: 9)
            precondition(Glyph.width(glyphs) <= 9 && cursor < 9, "it does not fit")
        }
    }

    /// Whatever a text is, it moves nothing but itself.
    static func drawText(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        var screen = Screen(ScreenSize(rows: 3, columns: 20))
        for row in 0..<3 {
            screen.write("|", row: row, columns: 13..<14)
            screen.write(text, row: row, columns: row..<13)
        }
        let glyphs = Glyph.line(text)
        for line in Glyph.wrapped(glyphs, 7, lines: 5) {
            precondition(Glyph.width(line) <= 7, "a line is too long")
        }
        for row in screen.rows {
            precondition(row.count == 20 && row[13].text == "|", "it left its columns")
        }
        var painter = ScreenPainter(hasColour: true)
        let output = painter.paint(screen).unicodeScalars
        precondition(
            !output.contains { $0.value < 0x1B || (0x7F...0x9F).contains($0.value) },
            "a control character")
    }
}
