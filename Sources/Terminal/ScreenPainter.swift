/// How a cell looks.
package struct Style: Equatable, Sendable {
    /// The colours that every terminal has, in the order of their numbers.
    package enum Colour: Int, Sendable {
        case red = 31
        case green, yellow, blue, magenta, cyan
    }

    package var colour: Colour?
    package var isBold = false
    package var isDim = false
    /// Text and background change places.
    package var isReversed = false

    package init() {}

    package static let plain = Style()
    package static let bold = with { $0.isBold = true }
    package static let dim = with { $0.isDim = true }
    package static let reversed = with { $0.isReversed = true }

    package static func coloured(_ colour: Colour) -> Style { with { $0.colour = colour } }

    private static func with(_ change: (inout Style) -> Void) -> Style {
        var style = Style()
        change(&style)
        return style
    }

    package var asReversed: Style {
        var style = self
        style.isReversed = true
        return style
    }

    /// The parameters of the escape sequence that sets it, whatever was set before.
    func parameters(hasColour: Bool) -> String {
        var numbers = ["0"]
        if isBold { numbers.append("1") }
        if isDim { numbers.append("2") }
        if isReversed { numbers.append("7") }
        if let colour, hasColour { numbers.append(String(colour.rawValue)) }
        return numbers.joined(separator: ";")
    }
}

/// Turns screens into what a terminal has to be sent, only what has changed since the last one.
///
/// It trusts its own widths, not those of the terminal: after each character that is not ASCII it
/// says where the next one goes. So a terminal that takes a character for wider than it is here
/// cannot move what stands beside it.
package struct ScreenPainter: Sendable {
    private let hasColour: Bool
    private var shown: Screen?

    package init(hasColour: Bool) { self.hasColour = hasColour }

    /// The second screen, no wrapping at the right border, pasted text in brackets, no cursor.
    package static let enter = "\u{1B}[?1049h" + again
    /// The same where the second screen is shown already: entering it once more would lose where
    /// the cursor was on the first.
    package static let again = "\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
    package static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"

    /// The terminal may show anything by now.
    package mutating func forget() { shown = nil }

    package mutating func paint(_ screen: Screen) -> String {
        var output = ""
        var former = shown?.size == screen.size ? shown : nil
        if former == nil {
            output += "\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
            former = Screen(screen.size)
        } else if former == screen {
            return ""
        } else if former?.cursor != nil {
            output += "\u{1B}[?25l"
        }
        for (number, row) in screen.rows.enumerated() {
            let old = former?.rows[number] ?? []
            guard let changed = row.indices.first(where: { row[$0] != old[$0] }) else { continue }
            // Half of a wide character cannot be drawn.
            let start = row[changed].text.isEmpty ? changed - 1 : changed
            output += text(of: row, from: start, number)
        }
        if let cursor = screen.cursor {
            output += Self.move(cursor.row, cursor.column) + "\u{1B}[?25h"
        }
        shown = screen
        return output
    }

    /// To the end of the row, since a wide character that is overwritten may tear its neighbour.
    private func text(of row: [Screen.Cell], from start: Int, _ number: Int) -> String {
        var output = Self.move(number, start)
        var style = Style.plain
        var isSure = true
        let end = (row.lastIndex { $0 != Screen.Cell() } ?? -1) + 1
        for column in start..<max(end, start) {
            let cell = row[column]
            guard !cell.text.isEmpty else { continue }
            if !isSure { output += Self.move(number, column) }
            if cell.style != style {
                output += "\u{1B}[\(cell.style.parameters(hasColour: hasColour))m"
                style = cell.style
            }
            output += cell.text
            isSure = cell.text.utf8.count == 1
        }
        if style != .plain { output += "\u{1B}[0m" }
        guard end < row.count else { return output }
        return output + (isSure ? "" : Self.move(number, max(end, start))) + "\u{1B}[K"
    }

    private static func move(_ row: Int, _ column: Int) -> String {
        "\u{1B}[\(row + 1);\(column + 1)H"
    }
}
