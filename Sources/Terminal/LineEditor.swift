import Base

/// One line that the user types.
package struct LineEditor: Equatable, Sendable {
    /// In bytes; what would make it longer is not taken.
    package static let limit = 4_096

    private var characters: [Character] = []
    /// How many characters are before the cursor.
    private var place = 0

    package init() {}

    package var text: String { String(characters) }

    /// False if the key means nothing to a line.
    package mutating func take(_ key: Key) -> Bool {
        switch key {
        case .text(let text), .paste(let text): insert(text)
        case .left: place = max(place - 1, 0)
        case .right: place = min(place + 1, characters.count)
        case .home, .control("a"): place = 0
        case .end, .control("e"): place = characters.count
        case .backspace: remove(max(place - 1, 0)..<place)
        case .delete: remove(place..<min(place + 1, characters.count))
        case .control("u"): remove(0..<place)
        case .control("k"): remove(place..<characters.count)
        case .control("w"): remove(wordStart..<place)
        default: return false
        }
        return true
    }

    /// A line has no breaks, and nothing that the user would not see.
    private mutating func insert(_ text: String) {
        let room = Self.limit - self.text.utf8.count
        var added = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let isBreak = scalar == "\n" || scalar == "\r" || scalar == "\t"
            guard isBreak || !Printable.isUnsafe(scalar) else { continue }
            count += UTF8.width(scalar)
            guard count <= room else { break }
            added.append(isBreak ? " " : scalar)
        }
        // A combining mark joins the character before it.
        let before = String(characters[..<place]) + String(added)
        let rest = characters[place...]
        place = before.count
        characters = Array(before + String(rest))
        place = min(place, characters.count)
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        place = range.lowerBound
    }

    private var wordStart: Int {
        let word = characters[..<place].reversed().drop { $0 == " " }.drop { $0 != " " }
        return word.count
    }

    /// The part around the cursor that fits, and the cursor's column in it.
    package func shown(in width: Int) -> (glyphs: [Glyph], cursor: Int) {
        let before = characters[..<place].flatMap { Glyph.line(String($0)) }
        let after = characters[place...].flatMap { Glyph.line(String($0)) }
        // The cursor needs a column after the last character.
        var rest = max(width - 1, 0)
        let near = before.reversed().prefix { glyph in
            rest -= glyph.width
            return rest >= 0
        }
        let start = Array(near.reversed())
        let cursor = Glyph.width(start)
        var room = width - cursor
        let end = after.prefix { glyph in
            room -= glyph.width
            return room >= 0
        }
        return (start + end, cursor)
    }
}
