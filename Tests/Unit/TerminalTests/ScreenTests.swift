import Testing

@testable import Terminal

@Suite("A screen of cells")
struct ScreenTests {
    private func screen(_ rows: Int = 2, _ columns: Int = 10) -> Screen {
        Screen(ScreenSize(rows: rows, columns: columns))
    }

    @Test("Text stays in its columns")
    func columns() {
        var screen = screen()
        screen.write("|", row: 0, columns: 5..<6)
        let end = screen.write("abcdefg", row: 0, columns: 1..<5)
        #expect(end == 5 && screen.lines == [" abc…|", ""])
        screen.write("日本語", row: 1, columns: 0..<5)
        #expect(screen.lines[1] == "日本…")
        screen.write("12:30", row: 1, endOf: 5..<10)
        #expect(screen.lines[1] == "日本…12:30")
    }

    @Test("A wide character does not stick out at the last column")
    func lastColumn() {
        var screen = screen()
        screen.write("日", row: 0, columns: 9..<10)
        screen.write("日", row: 1, columns: 8..<10)
        #expect(screen.lines == ["         …", "        日"])
    }

    @Test("Half of a wide character disappears with the other half")
    func halves() {
        var screen = screen()
        screen.write("日本", row: 0, columns: 0..<10)
        screen.write("x", row: 0, columns: 1..<2)
        #expect(screen.lines[0] == " x本")
        screen.write("y", row: 0, columns: 2..<3)
        #expect(screen.lines[0] == " xy")
    }

    @Test("Outside of the screen nothing is written")
    func outside() {
        var screen = screen()
        screen.write("x", row: 2, columns: 0..<10)
        screen.write("x", row: -1, columns: 0..<10)
        screen.write("x", row: 0, columns: 20..<30)
        screen.write("x", row: 0, columns: -3 ..< -1)
        #expect(screen.lines == ["", ""])
        #expect(ScreenSize(rows: 0, columns: -1) == ScreenSize(rows: 1, columns: 1))
    }
}
