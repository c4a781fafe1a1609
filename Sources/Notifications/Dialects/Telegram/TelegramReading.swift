import Base

/// Reads members by TDLib's rules, with TDLib's error texts.
struct TelegramFields {
    let node: JSONNode?

    typealias Refusal = TelegramRefusal

    subscript(_ name: StaticString) -> JSONNode? { node?[name] }

    func has(_ name: StaticString) -> Bool { node?.has(name) ?? false }

    /// A string, or a number as written; nil if absent.
    func text(_ name: StaticString) throws(Refusal) -> String? {
        guard let value = node?[name] else { return nil }
        guard let text = value.textOrNumber else {
            throw .malformed("Field \"\(name)\" must be of type String")
        }
        return text
    }

    func requiredText(_ name: StaticString) throws(Refusal) -> String {
        guard let text = try text(name) else { throw .malformed("Can't find field \"\(name)\"") }
        return text
    }

    /// A number, or a string that holds one; 0 if absent.
    func long(_ name: StaticString) throws(Refusal) -> Int64 {
        guard let value = node?[name] else { return 0 }
        guard value.kind == .number || value.kind == .string else {
            throw .malformed("Field \"\(name)\" must be a Number")
        }
        guard let number = value.integer else {
            throw .malformed("Field \"\(name)\" must be a valid Number")
        }
        return number
    }

    func int(_ name: StaticString) throws(Refusal) -> Int32 {
        guard let number = Int32(exactly: try long(name)) else {
            throw .malformed("Field \"\(name)\" must be a valid Number")
        }
        return number
    }

    func object(_ name: StaticString) throws(Refusal) -> TelegramFields {
        guard let value = node?[name] else { return TelegramFields(node: nil) }
        guard value.kind == .object else {
            throw .malformed("Field \"\(name)\" must be of type Object")
        }
        return TelegramFields(node: value)
    }

    func cleanText(_ name: StaticString, isTolerant: Bool) throws(Refusal) -> String {
        let text = try requiredText(name)
        guard TelegramText.isSuspicious(text), let value = node?[name] else { return text }
        return try TelegramText(value, text: text, name, isTolerant: isTolerant).text
    }

    func cleanTexts(
        _ name: StaticString, each: StaticString, isTolerant: Bool
    ) throws(Refusal) -> [String] {
        guard let value = node?[name] else { return [] }
        guard value.kind == .array else {
            throw .malformed("Field \"\(name)\" must be of type Array")
        }
        guard var texts = value.texts else { throw .malformed("Expected \(each) as a String") }
        for (index, text) in texts.enumerated() where TelegramText.isSuspicious(text) {
            texts[index] = try TelegramText(
                value.elements[index], text: text, each, isTolerant: isTolerant
            ).text
        }
        return texts
    }
}

/// Why a payload is refused: with 400 it is malformed, with 406 its news must be fetched.
struct TelegramRefusal: Error, Equatable {
    let code: Int
    let message: String

    static func malformed(_ message: String) -> TelegramRefusal {
        TelegramRefusal(code: 400, message: message)
    }

    static func unsupported(_ message: String) -> TelegramRefusal {
        TelegramRefusal(code: 406, message: message)
    }
}

/// Numbers in strings.
enum TelegramNumber {
    /// Accepts only the canonical form of a number.
    static func strict<Number: FixedWidthInteger>(
        _ text: some StringProtocol
    ) throws(TelegramRefusal) -> Number {
        let digits = Array(text.utf8)
        guard let number = Int64(strictDecimal: digits.span), let exact = Number(exactly: number)
        else { throw .malformed("Can't parse as an integer string \"\(text)\"") }
        return exact
    }

    /// The number at the start of a text, at most the type's maximum.
    static func clamped<Number: FixedWidthInteger>(_ text: String) -> Number {
        text.utf8.prefix { $0.isDigit }.reduce(0 as Number) { value, digit in
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = shifted.addingReportingOverflow(
                Number(truncatingIfNeeded: digit - UInt8(ascii: "0")))
            return isTooLarge || isTooMuch ? .max : sum
        }
    }
}

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

/// Reads values of the TL language from the wire: 32-bit words, least significant byte first.
/// Truncated or unknown data is damage.
struct TLReader {
    struct Damage: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func word() throws(Damage) -> UInt32 {
        guard bytes.count - position >= 4 else { throw Damage() }
        defer { position += 4 }
        return (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[position + $1]) }
    }

    mutating func int() throws(Damage) -> Int { Int(Int32(bitPattern: try word())) }

    mutating func double() throws(Damage) -> Double {
        let low = UInt64(try word())
        return Double(bitPattern: UInt64(try word()) << 32 | low)
    }

    mutating func skip(words: Int) throws(Damage) {
        for _ in 0..<words { _ = try word() }
    }

    /// Bytes after a length of one byte, or of three after FE; padded to whole words.
    mutating func data() throws(Damage) -> ArraySlice<UInt8> {
        guard position < bytes.count else { throw Damage() }
        var start = position + 1
        var count = Int(bytes[position])
        if count == 254 {
            guard bytes.count - position >= 4 else { throw Damage() }
            count = (1...3).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            start = position + 4
        }
        let length = (start - position + count + 3) / 4 * 4
        guard bytes.count - position >= length else { throw Damage() }
        position += length
        return bytes[start..<start + count]
    }

    mutating func text() throws(Damage) -> String {
        String(decoding: try data(), as: UTF8.self)
    }

    /// The number of elements of a vector, bounded because each takes at least one word.
    mutating func vector() throws(Damage) -> Int {
        guard try word() == 0x1cb5_c415 else { throw Damage() }
        let count = try int()
        guard count >= 0, count <= (bytes.count - position) / 4 else { throw Damage() }
        return count
    }
}
