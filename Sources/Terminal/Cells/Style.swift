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
