import Base

/// One character of a line, as it goes into a cell.
package struct Glyph: Equatable, Sendable {
    package let text: String
    /// 1 or 2 columns.
    package let width: Int

    /// The most scalars of one character; the rest of a longer one is left out. An emoji of a family
    /// has eleven.
    private static let scalarLimit = 16
    /// The most scalars that are looked at: more do not fit on any screen.
    private static let lineLimit = 4_000
    private static let ellipsis = Glyph(text: "…", width: 1)

    /// The characters of a text from outside. Line breaks and tabs become spaces, other control
    /// characters become visible, and what takes no column of its own is left out.
    package static func line(_ text: String) -> [Glyph] {
        var spaced = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(lineLimit) {
            switch scalar {
            // A line that ends in both gets one space.
            case "\r": continue
            case "\n", "\t", "\u{2028}", "\u{2029}": spaced.append(" ")
            default: spaced.append(scalar)
            }
        }
        return Printable.text(String(spaced)).compactMap(glyph)
    }

    private static func glyph(_ character: Character) -> Glyph? {
        let width = CellWidth.of(character)
        guard width > 0 else { return nil }
        guard character.unicodeScalars.count > scalarLimit else {
            return Glyph(text: String(character), width: width)
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: character.unicodeScalars.prefix(scalarLimit))
        return Glyph(text: String(text), width: width)
    }

    package static func width(_ glyphs: some Sequence<Glyph>) -> Int {
        glyphs.reduce(0) { $0 + $1.width }
    }

    /// As much as fits. What is cut ends in an ellipsis.
    package static func fitted(_ glyphs: [Glyph], _ width: Int) -> [Glyph] {
        guard Self.width(glyphs) > width else { return glyphs }
        guard width > 0 else { return [] }
        return prefix(glyphs[...], width - 1) + [ellipsis]
    }

    private static func prefix(_ glyphs: ArraySlice<Glyph>, _ width: Int) -> [Glyph] {
        var rest = width
        return Array(
            glyphs.prefix { glyph in
                rest -= glyph.width
                return rest >= 0
            })
    }

    /// Lines of at most this width, broken at spaces if there are any. The last one ends in an
    /// ellipsis if the text is longer.
    package static func wrapped(_ glyphs: [Glyph], _ width: Int, lines limit: Int) -> [[Glyph]] {
        var lines: [[Glyph]] = []
        var rest = glyphs[...]
        while !rest.isEmpty, lines.count < limit {
            guard lines.count + 1 < limit, Self.width(rest) > width else {
                lines.append(fitted(Array(rest), width))
                break
            }
            var line = prefix(rest, width)
            // A wide character does not fit into a single column.
            guard !line.isEmpty else { break }
            let next = rest.dropFirst(line.count).first
            if next?.text != " ", let space = line.lastIndex(where: { $0.text == " " }), space > 0 {
                line = Array(line[..<space])
            }
            rest = rest.dropFirst(line.count).drop { $0.text == " " }
            lines.append(line)
        }
        return lines
    }
}

/// How many columns of a terminal a character takes.
///
/// Terminals disagree about some characters, so `ScreenPainter` says where to go on after each one
/// that is not ASCII.
package enum CellWidth {
    /// Wide or full width by Unicode's EastAsianWidth, except characters that are emoji by default.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
        0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE6B,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1_6FE0...0x1_B2FB, 0x1_F200...0x1_F265,
        0x2_0000...0x3_FFFD,
    ]

    /// Format characters that are seen: signs of Arabic and others, which enclose a number.
    private static let seenFormats: Set<UInt32> = [
        0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2,
        0x1_10BD, 0x1_10CD,
    ]

    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let asEmoji: Unicode.Scalar = "\u{FE0F}"
    private static let regionalIndicators: ClosedRange<UInt32> = 0x1_F1E6...0x1_F1FF

    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value == 0xAD || value < 0x20 ? 0 : 1 }
        if isZero(scalar) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        let isFlag = regionalIndicators.contains(value)
        return scalar.properties.isEmojiPresentation && !isFlag ? 2 : 1
    }

    private static func isZero(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: true
        case .format: !seenFormats.contains(scalar.value)
        // Vowels and final consonants of Hangul join the consonant before them.
        default:
            (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
        }
    }

    /// A whole character, which may have several scalars: at most 2.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return of(first) }
        if first.properties.isEmoji, scalars.contains(where: { $0 == asEmoji || $0 == joiner }) {
            return 2
        }
        return min(scalars.reduce(0) { $0 + of($1) }, 2)
    }
}
