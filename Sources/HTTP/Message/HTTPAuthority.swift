import Base

/// The grammar of `uri-host [":" port]` (RFC 3986 section 3.2) in Host fields and targets.
enum HTTPAuthority {
    /// An empty host is refused: no http URL has one (RFC 9110 section 4.2.1).
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard let end = endOfHost(text), end > 0 else { return false }
        return end == text.count || isPort(text, from: end)
    }

    /// The form that CONNECT requires: with a port (RFC 9112 section 3.2.3).
    static func isValidWithPort(_ text: Span<UInt8>) -> Bool {
        guard let end = endOfHost(text), end > 0 else { return false }
        return end + 1 < text.count && isPort(text, from: end)
    }

    private static func endOfHost(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text[0] == UInt8(ascii: "[") else { return endOfName(text) }
        var index = 1
        while index < text.count, isAddressByte(text[index]) { index += 1 }
        guard index > 1, index < text.count, text[index] == UInt8(ascii: "]") else { return nil }
        return index + 1
    }

    private static func endOfName(_ text: Span<UInt8>) -> Int? {
        var index = 0
        while index < text.count {
            if text[index].isHostByte {
                index += 1
            } else if text[index] == UInt8(ascii: "%") {
                guard index + 2 < text.count, text[index + 1].hexValue != nil,
                    text[index + 2].hexValue != nil
                else { return nil }
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// The characters of an IPv6 literal; its numbers are not checked.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.hexValue != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// ":" and an optional number, to the end.
    private static func isPort(_ text: Span<UInt8>, from colon: Int) -> Bool {
        guard text[colon] == UInt8(ascii: ":") else { return false }
        let digits = text.extracting(colon + 1..<text.count)
        return digits.isEmpty || UInt16(decimalDigits: digits) != nil
    }
}
