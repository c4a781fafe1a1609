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
