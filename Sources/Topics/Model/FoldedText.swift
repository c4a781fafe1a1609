import Base

/// Text as a search compares it: capitals and accents make no difference.
package enum FoldedText {
    /// Appends the folded text as UTF-8.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                bytes.append(lower(UInt8(truncatingIfNeeded: scalar.value)))
            } else if let base = bases[scalar] {
                append(base, to: &bytes)
            } else {
                append(scalar, to: &bytes)
            }
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Marks are left out: an accent may be a scalar of its own. Only what was a capital first has
    /// one form, such as both forms of the Greek sigma.
    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        guard scalar.properties.generalCategory != .nonspacingMark else { return }
        for capital in scalar.properties.uppercaseMapping.unicodeScalars {
            for letter in capital.properties.lowercaseMapping.unicodeScalars
            where letter.properties.generalCategory != .nonspacingMark {
                bytes.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// Letters with accents, and the letters without. Unicode names the one after the other, such as
    /// "LATIN SMALL LETTER E WITH ACUTE".
    private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
        let blocks: [ClosedRange<UInt32>] = [
            0x41...0x24F, 0x370...0x4FF, 0x1E00...0x1FFF,
        ]
        let letters = blocks.joined().compactMap(Unicode.Scalar.init)
        var named: [String: Unicode.Scalar] = [:]
        for letter in letters { named[letter.properties.name ?? ""] = letter }
        var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
        for letter in letters {
            guard let name = letter.properties.name, let place = name.place(of: " WITH ") else {
                continue
            }
            bases[letter] = named[String(name[..<place.lowerBound])]
        }
        return bases
    }()
}

/// What somebody searches for: words that must all be in a text, in any order.
package struct FoldedWords: Sendable, Confidential {
    /// More do not make an answer any better.
    package static let limit = 16

    private let words: [[UInt8]]

    /// Divides each text at its blanks.
    package init(_ texts: [String]) {
        words = texts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.prefix(Self.limit)
            .map { word in
                var bytes: [UInt8] = []
                FoldedText.append(String(word), to: &bytes)
                return bytes
            }
            .filter { !$0.isEmpty }
            // Few texts have the longest.
            .sorted { $0.count > $1.count }
    }

    /// Whether all are in this folded text, be it inside longer words.
    package func areIn(_ text: Span<UInt8>) -> Bool {
        for word in words where !Self.has(text, word.span) { return false }
        return true
    }

    private static func has(_ text: Span<UInt8>, _ word: Span<UInt8>) -> Bool {
        let (first, count) = (word[0], word.count)
        guard text.count >= count else { return false }
        // The range is within the text; looking that up for each byte would take half of the time.
        search: for start in 0...text.count - count where text[unchecked: start] == first {
            for index in 1..<count where text[start + index] != word[index] { continue search }
            return true
        }
        return false
    }
}
