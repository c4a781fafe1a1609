import Base

/// Text inside Markdown. Only what would mean something there is escaped, because many readers see
/// the text as it is.
enum WrittenMarkdown {
    private static let signs = Set("\\`*_]<~".utf8)

    static func escaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x20
            if signs.contains(byte), means(byte, after: index > 0 ? bytes[index - 1] : 0x20, next) {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func means(_ sign: UInt8, after former: UInt8, _ next: UInt8) -> Bool {
        switch sign {
        case UInt8(ascii: "`"): true
        case UInt8(ascii: "\\"): !next.isOfWord && !next.isSpace
        case UInt8(ascii: "*"): !former.isSpace || !next.isSpace
        case UInt8(ascii: "_"):
            !(former.isOfWord && next.isOfWord) && !(former.isSpace && next.isSpace)
        case UInt8(ascii: "]"): next == UInt8(ascii: "(")
        case UInt8(ascii: "<"): next.isOfWord || "/!".utf8.contains(next)
        case UInt8(ascii: "~"): next == sign
        default: false
        }
    }

    /// A link in brackets.
    static func target(_ link: String) -> String {
        var result = ""
        for byte in link.utf8 {
            if !(0x21...0x7E).contains(byte) || "()<>".utf8.contains(byte) {
                result += "%" + byte.hexadecimal.uppercased()
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }
}

extension UInt8 {
    var isSpace: Bool { isBlank || self == 0x0A || self == 0x0D }

    /// Letters of most languages are not ASCII.
    var isOfWord: Bool {
        self >= 0x80 || isWordCharacter && self != UInt8(ascii: "-") && self != UInt8(ascii: "_")
    }
}
