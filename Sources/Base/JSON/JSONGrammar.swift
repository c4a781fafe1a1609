/// The grammar that `JSONScanner` and `JSONCursor` share (RFC 8259 sections 2, 3, 6 and 7). Each
/// function moves `position` and returns whether it found what it looked for; if not, `position` is
/// where the error is.
enum JSONGrammar {
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    static func skipNumber(_ text: Span<UInt8>, _ position: inout Int) -> Bool {
        _ = skip(UInt8(ascii: "-"), text, &position)
        guard skip(UInt8(ascii: "0"), text, &position) || skipDigits(text, &position) else {
            return false
        }
        if skip(UInt8(ascii: "."), text, &position), !skipDigits(text, &position) { return false }
        guard skip(UInt8(ascii: "e"), text, &position) || skip(UInt8(ascii: "E"), text, &position)
        else { return true }
        if !skip(UInt8(ascii: "+"), text, &position) {
            _ = skip(UInt8(ascii: "-"), text, &position)
        }
        return skipDigits(text, &position)
    }

    /// Starts at the backslash.
    static func skipEscape(_ text: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position + 1 < text.count else { return false }
        switch text[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard position + 6 <= text.count else { return false }
            for index in position + 2..<position + 6 where text[index].hexValue == nil {
                return false
            }
            position += 6
        default: return false
        }
        return true
    }

    static func skipWord(
        _ word: StaticString, _ text: Span<UInt8>, _ position: inout Int
    ) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard skip(word.utf8Start[offset], text, &position) else { return false }
        }
        return true
    }

    @inline(__always)
    private static func skip(_ byte: UInt8, _ text: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private static func skipDigits(_ text: Span<UInt8>, _ position: inout Int) -> Bool {
        let start = position
        while position < text.count, text[position].isDigit { position += 1 }
        return position > start
    }
}

/// The position of a JSON string without its quotes, and whether it is free of escapes.
package struct JSONText: Equatable, Sendable {
    @usableFromInline package let range: Range<Int>
    @usableFromInline package let isPlain: Bool
}

extension JSONScanner {
    /// Compares without decoding, if there are no escapes.
    package func isEqual(_ text: JSONText, _ word: StaticString) -> Bool {
        guard text.isPlain else {
            return word.withUTF8Buffer { utf8(of: text).elementsEqual($0) }
        }
        return bytes.span.extracting(text.range).elementsEqual(word)
    }

    package func string(_ text: JSONText) -> String {
        text.isPlain
            ? String(decoding: bytes[text.range], as: UTF8.self)
            : String(decoding: utf8(of: text), as: UTF8.self)
    }

    /// The string's value; a lone surrogate becomes U+FFFD.
    package func utf8(of text: JSONText) -> [UInt8] {
        guard !text.isPlain else { return Array(bytes[text.range]) }
        var result: [UInt8] = []
        result.reserveCapacity(text.range.count)
        var index = text.range.lowerBound
        while index < text.range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if bytes[index + 1] == UInt8(ascii: "u") {
                result.append(contentsOf: String(scalar(at: &index, before: text)).utf8)
            } else {
                result.append(Self.unescaped(bytes[index + 1]))
                index += 2
            }
        }
        return result
    }

    /// What a letter after a backslash stands for, other than `u`.
    package static func unescaped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Reads `\uXXXX`, and the second half of a surrogate pair if it follows.
    private func scalar(at index: inout Int, before text: JSONText) -> Character {
        let first = codeUnit(at: index)
        index += 6
        if UTF16.isLeadSurrogate(first), index + 6 <= text.range.upperBound,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        {
            let second = codeUnit(at: index)
            if UTF16.isTrailSurrogate(second) {
                index += 6
                let offset = UInt32(first - 0xD800) << 10 | UInt32(second - 0xDC00)
                return Character(Unicode.Scalar(0x10000 + offset) ?? "\u{FFFD}")
            }
        }
        return Character(Unicode.Scalar(first) ?? "\u{FFFD}")
    }

    private func codeUnit(at index: Int) -> UInt16 {
        bytes[index + 2..<index + 6].reduce(0) { $0 << 4 | UInt16($1.hexValue ?? 0) }
    }
}
