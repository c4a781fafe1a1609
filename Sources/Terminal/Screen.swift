/// The size of a terminal in cells.
package struct ScreenSize: Equatable, Sendable {
    package let rows: Int
    package let columns: Int

    /// More cells than this are no screen but a mistake.
    private static let limit = 1_000

    /// Neither is below 1.
    package init(rows: Int, columns: Int) {
        self.rows = min(max(rows, 1), Self.limit)
        self.columns = min(max(columns, 1), Self.limit)
    }
}

/// A grid of cells.
///
/// A view draws a new one each time; `ScreenPainter` finds what has changed.
package struct Screen: Equatable, Sendable {
    package struct Cell: Equatable, Sendable {
        /// Empty in the second half of a wide character.
        package var text = " "
        package var style = Style.plain
    }

    package struct Position: Equatable, Sendable {
        package let row: Int
        package let column: Int
    }

    package let size: ScreenSize
    package private(set) var rows: [[Cell]]
    /// Where the cursor blinks; nil hides it.
    package private(set) var cursor: Position?

    package init(_ size: ScreenSize) {
        self.size = size
        rows = Array(
            repeating: Array(repeating: Cell(), count: size.columns), count: size.rows)
    }

    /// The columns from one to another, or to the end, as far as they are there.
    package func columns(_ first: Int, to end: Int? = nil) -> Range<Int> {
        let end = min(max(end ?? size.columns, 0), size.columns)
        return min(max(first, 0), end)..<end
    }

    /// Writes into these columns of a row, and cuts what does not fit. Returns the column after it.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, columns: Range<Int>, _ style: Style = .plain
    ) -> Int {
        write(Glyph.line(text), row: row, columns: columns, style)
    }

    @discardableResult
    package mutating func write(
        _ glyphs: [Glyph], row: Int, columns: Range<Int>, _ style: Style = .plain
    ) -> Int {
        guard rows.indices.contains(row) else { return columns.lowerBound }
        let columns = columns.clamped(to: 0..<size.columns)
        var column = columns.lowerBound
        for glyph in Glyph.fitted(glyphs, columns.count) {
            for offset in 0..<glyph.width { clear(row, column + offset) }
            rows[row][column] = Cell(text: glyph.text, style: style)
            if glyph.width == 2 { rows[row][column + 1] = Cell(text: "", style: style) }
            column += glyph.width
        }
        return column
    }

    /// Writes so that the text ends at the end of the columns. Returns the column where it begins.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, endOf columns: Range<Int>, _ style: Style = .plain
    ) -> Int {
        let glyphs = Glyph.fitted(Glyph.line(text), columns.count)
        let start = max(columns.upperBound - Glyph.width(glyphs), columns.lowerBound)
        write(glyphs, row: row, columns: start..<columns.upperBound, style)
        return start
    }

    /// A character that is half overwritten disappears as a whole.
    private mutating func clear(_ row: Int, _ column: Int) {
        if rows[row][column].text.isEmpty, column > 0 {
            rows[row][column - 1].text = " "
            rows[row][column].text = " "
        }
        if column + 1 < size.columns, rows[row][column + 1].text.isEmpty {
            rows[row][column + 1].text = " "
        }
    }

    /// Gives all cells of a row this style.
    package mutating func paint(row: Int, _ style: Style) {
        guard rows.indices.contains(row) else { return }
        for column in rows[row].indices { rows[row][column].style = style }
    }

    package mutating func showCursor(row: Int, column: Int) {
        cursor = Position(
            row: min(max(row, 0), size.rows - 1), column: min(max(column, 0), size.columns - 1))
    }

    /// The rows as text, without the spaces at their ends.
    package var lines: [String] {
        rows.map { row in
            let text = row.map(\.text).joined()
            let end = text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex
            return String(text[..<end])
        }
    }
}
