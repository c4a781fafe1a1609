import Base

/// The texts of a payload, cleaned as TDLib cleans them.
struct TelegramText {
    let text: String

    /// Fails on a lone surrogate, which becomes U+FFFD if `isTolerant`.
    init(
        _ node: JSONNode, text: String, _ name: StaticString, isTolerant: Bool
    ) throws(TelegramRefusal) {
        var text = text
        if !isTolerant, text.unicodeScalars.contains("\u{FFFD}") {
            let bytes = Self.decoded(node.source.dropFirst().dropLast())
            guard let whole = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("Receive invalid \(name) \(Self.escaped(bytes))")
            }
            text = whole
        }
        self.text = Self.cleaned(text)
    }

    /// Whether the text needs cleaning at all.
    static func isSuspicious(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0xCC || $0 == 0xE2 || $0 == 0xEF }
    }

    /// Control characters become spaces. Line feeds stay. Carriage returns are removed, and marks
    /// that rotate or cross out lines. Of several direction marks, all but the last become
    /// invisible joiners.
    static func cleaned(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result.append(scalar)
            case "\r", "\u{2028}"..."\u{202E}", "\u{0333}", "\u{033F}", "\u{030A}": break
            case "\u{00}"..<"\u{20}": result.append(" ")
            case "\u{200E}", "\u{200F}":
                if let last = result.last, last == "\u{200E}" || last == "\u{200F}" {
                    result.removeLast()
                    result.append("\u{200C}")
                }
                result.append(scalar)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Decodes a string as TDLib does: two surrogates in a row become one character, and a lone one
    /// becomes invalid UTF-8.
    private static func decoded(_ source: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = source
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                result.append(byte)
                continue
            }
            guard letter == UInt8(ascii: "u") else {
                result.append(JSONScanner.unescaped(letter))
                continue
            }
            let first = hex(&rest)
            var next = rest
            if isSurrogate(first), next.popFirst() == UInt8(ascii: "\\"),
                next.popFirst() == UInt8(ascii: "u")
            {
                let second = hex(&next)
                if isSurrogate(second) {
                    rest = next
                    append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, to: &result)
                    continue
                }
            }
            append(first, to: &result)
        }
        return result
    }

    private static func isSurrogate(_ unit: UInt32) -> Bool { 0xD800...0xDFFF ~= unit }

    private static func hex(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 4 | UInt32($1.hexValue ?? 0) }
    }

    /// Encodes as UTF-8, including surrogates.
    private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
        func last(_ shift: UInt32) -> UInt8 { UInt8(0x80 | code >> shift & 0x3F) }
        switch code {
        case ..<0x80: bytes.append(UInt8(code))
        case ..<0x800: bytes += [UInt8(0xC0 | code >> 6), last(0)]
        case ..<0x10000: bytes += [UInt8(0xE0 | code >> 12), last(6), last(0)]
        default: bytes += [UInt8(0xF0 | code >> 18), last(12), last(6), last(0)]
        }
    }

    /// Escapes unusual bytes as a backslash and three octal digits.
    private static func escaped(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            let isPlain = 0x20..<0x7F ~= byte && byte != 0x22 && byte != 0x5C
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\" + [6, 3, 0].map { String(byte >> $0 & 7) }.joined()
            }
        }
    }
}
