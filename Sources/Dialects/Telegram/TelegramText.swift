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
            let bytes = node.halfDecoded
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
