import Base

/// Words of RFC 2047, by which a header field says what is not ASCII: `=?UTF-8?Q?B=C3=BCro?=`.
enum EncodedWords {
    private struct Word {
        let bytes: [UInt8]
        /// Where the text goes on.
        let end: Int
    }

    /// The text with its words decoded. What cannot be decoded stays as it is.
    static func decoded(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        // Where `result` ended after the last word, and the blanks since then.
        var wordEnd: Int?
        while index < text.count {
            if text[index] == UInt8(ascii: "="), let word = word(at: index, of: text) {
                // RFC 2047 section 6.2: blanks between two words only separate them.
                if let wordEnd { result.removeSubrange(wordEnd...) }
                result += word.bytes
                (index, wordEnd) = (word.end, result.count)
                continue
            }
            if text[index] != UInt8(ascii: " "), text[index] != UInt8(ascii: "\t") { wordEnd = nil }
            result.append(text[index])
            index += 1
        }
        return result
    }

    private static func word(at start: Int, of text: [UInt8]) -> Word? {
        var rest = text[start...]
        guard rest.starts(with: [UInt8(ascii: "="), UInt8(ascii: "?")]) else { return nil }
        rest = rest.dropFirst(2)
        guard let charset = part(of: &rest), let encoding = part(of: &rest),
            let value = part(of: &rest), rest.first == UInt8(ascii: "="),
            let bytes = bytes(of: Array(value), encoding)
        else { return nil }
        // RFC 2231 section 5: a language may follow the charset.
        let name = String(
            decoding: charset.prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self
        ).lowercased()
        let end = rest.startIndex + 1
        switch name {
        case "utf-8", "us-ascii": return Word(bytes: bytes, end: end)
        case "iso-8859-1":
            let scalars = bytes.map { Character(Unicode.Scalar($0)) }
            return Word(bytes: Array(String(scalars).utf8), end: end)
        default: return nil
        }
    }

    /// What comes before the next question mark, which is removed as well.
    private static func part(of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private static func bytes(of value: [UInt8], _ encoding: ArraySlice<UInt8>) -> [UInt8]? {
        guard encoding.count == 1, let letter = encoding.first?.lowercased else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return Base64.decode(value)
        // RFC 2047 section 4.2.
        case UInt8(ascii: "q"):
            return PercentEncoding.decoded(
                value, escape: UInt8(ascii: "="), blank: UInt8(ascii: "_"))
        default: return nil
        }
    }
}
