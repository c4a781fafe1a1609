/// The standard library's own searches bring its regular expressions with them, which would make
/// the program a tenth larger.
extension StringProtocol {
    /// The first place of these bytes.
    package func place(of text: String) -> Range<Index>? {
        var rest = utf8[...]
        while !rest.starts(with: text.utf8) {
            guard !rest.isEmpty else { return nil }
            rest = rest.dropFirst()
        }
        return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.utf8.count)
    }

    /// It begins like an address of the web, in lower case.
    package var isWebAddress: Bool { hasPrefix("https://") || hasPrefix("http://") }

    package func replacing(each scalar: Unicode.Scalar, by text: String) -> String {
        var result = ""
        for next in unicodeScalars {
            if next == scalar {
                result += text
            } else {
                result.unicodeScalars.append(next)
            }
        }
        return result
    }
}

extension Substring {
    /// Without white space at either end.
    package var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }
        return start[..<(end.map { start.index(after: $0) } ?? start.startIndex)]
    }

    /// Fills in the placeholders that begin with `sign`. `value` takes the rest of a placeholder from
    /// the text after the sign and returns what stands there instead; with nil the sign is only text.
    package func filled(
        at sign: Character, _ value: (inout Substring) -> String?
    ) -> String {
        var (text, rest) = ("", self)
        while let place = rest.firstIndex(of: sign) {
            text += rest[..<place]
            rest = rest[place...].dropFirst()
            var behind = rest
            if let filled = value(&behind) {
                text += filled
                rest = behind
            } else {
                text.append(sign)
            }
        }
        return text + rest
    }
}

/// Finds what somebody meant who mistyped a word.
package enum NearestWord {
    /// Nil if no word is near. Capitals and underscores are mistakes like any other, but free.
    package static func to(_ text: some StringProtocol, in words: [String]) -> String? {
        // A longer one is not a typing mistake, and comparing it would take long.
        guard text.utf8.count <= 64 else { return nil }
        let text = text.lowercased().replacing(each: "_", by: "-")
        let near = words.map { (word: $0, distance: distance($0, text)) }
            .min { $0.distance < $1.distance }
        // At least one letter is right.
        guard let near, near.distance <= max(2, text.count / 3), near.distance < near.word.count
        else { return nil }
        return near.word
    }

    /// The edit distance: how many letters must be inserted, removed or changed.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let changed = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
