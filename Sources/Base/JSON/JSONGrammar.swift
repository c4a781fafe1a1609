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
