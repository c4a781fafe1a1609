/// Reads JSON (RFC 8259) in place, without allocating.
///
/// The caller states what must come next and passes the same text to every call. The text must be
/// valid UTF-8: only the grammar is checked. For JSON of unknown shape there is `JSONScanner`.
package struct JSONCursor: Sendable {
    package struct Invalid: Error, Equatable {
        package init() {}
    }

    package enum Kind: Sendable {
        case object
        case array
        case string
        case number
        case bool
        case null
    }

    package static let depthLimit = 32

    package private(set) var position: Int
    /// Whether a value was read since the last opening bracket, comma or name.
    private var needsComma = false

    package init(at position: Int = 0) { self.position = position }

    /// The kind of the next value, judged by its first byte.
    package mutating func kind(in text: Span<UInt8>) throws(Invalid) -> Kind {
        skipWhitespace(text)
        guard position < text.count else { throw Invalid() }
        switch text[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: return .number
        }
    }

    package mutating func beginObject(in text: Span<UInt8>) throws(Invalid) {
        try expect(UInt8(ascii: "{"), text)
        needsComma = false
    }

    package mutating func beginArray(in text: Span<UInt8>) throws(Invalid) {
        try expect(UInt8(ascii: "["), text)
        needsComma = false
    }

    /// The name of the next member, whose value must be read next; nil after the last one.
    package mutating func nextName(in text: Span<UInt8>) throws(Invalid) -> JSONText? {
        guard try goesOn(until: UInt8(ascii: "}"), text) else { return nil }
        let name = try string(in: text)
        try expect(UInt8(ascii: ":"), text)
        needsComma = false
        return name
    }

    /// Whether another element follows and must be read next.
    package mutating func nextElement(in text: Span<UInt8>) throws(Invalid) -> Bool {
        try goesOn(until: UInt8(ascii: "]"), text)
    }

    package mutating func expectEnd(in text: Span<UInt8>) throws(Invalid) {
        skipWhitespace(text)
        guard position == text.count else { throw Invalid() }
    }

    private mutating func goesOn(
        until bracket: UInt8, _ text: Span<UInt8>
    ) throws(Invalid) -> Bool {
        skipWhitespace(text)
        guard position < text.count else { throw Invalid() }
        if text[position] == bracket {
            position += 1
            needsComma = true
            return false
        }
        if needsComma {
            try expect(UInt8(ascii: ","), text)
            needsComma = false
        }
        return true
    }

    private mutating func expect(_ byte: UInt8, _ text: Span<UInt8>) throws(Invalid) {
        skipWhitespace(text)
        guard position < text.count, text[position] == byte else { throw Invalid() }
        position += 1
    }

    private mutating func skipWhitespace(_ text: Span<UInt8>) {
        while position < text.count, JSONGrammar.isWhitespace(text[position]) { position += 1 }
    }
}

extension JSONCursor {
    package mutating func string(in text: Span<UInt8>) throws(Invalid) -> JSONText {
        try expect(UInt8(ascii: "\""), text)
        let start = position
        var isPlain = true
        while true {
            position = Self.endOfPlainRun(text, from: position)
            guard position < text.count else { throw Invalid() }
            switch text[position] {
            case UInt8(ascii: "\""):
                position += 1
                needsComma = true
                return JSONText(range: start..<position - 1, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                guard JSONGrammar.skipEscape(text, &position) else { throw Invalid() }
            default: throw Invalid()
            }
        }
    }

    /// The position of the first quote, backslash or control character, or the end.
    private static func endOfPlainRun(_ text: Span<UInt8>, from start: Int) -> Int {
        text.withUnsafeBytes { bytes in
            var index = start
            // This compares eight bytes at a time. A byte that is equal, or too small, sets its
            // highest bit by a carry.
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let quote = word ^ 0x2222_2222_2222_2222
                let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
                let found =
                    ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
                    | ((word &- 0x2020_2020_2020_2020) & ~word)
                let marks = found & 0x8080_8080_8080_8080
                guard marks == 0 else {
                    return index + UInt64(littleEndian: marks).trailingZeroBitCount / 8
                }
                index += 8
            }
            while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
                bytes[index] != UInt8(ascii: "\\")
            {
                index += 1
            }
            return index
        }
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    package mutating func number(in text: Span<UInt8>) throws(Invalid) -> Range<Int> {
        skipWhitespace(text)
        let start = position
        guard JSONGrammar.skipNumber(text, &position) else { throw Invalid() }
        needsComma = true
        return start..<position
    }

    package mutating func bool(in text: Span<UInt8>) throws(Invalid) -> Bool {
        skipWhitespace(text)
        let value = position < text.count && text[position] == UInt8(ascii: "t")
        try word(value ? "true" : "false", text)
        return value
    }

    package mutating func null(in text: Span<UInt8>) throws(Invalid) {
        skipWhitespace(text)
        try word("null", text)
    }

    private mutating func word(_ word: StaticString, _ text: Span<UInt8>) throws(Invalid) {
        guard JSONGrammar.skipWord(word, text, &position) else { throw Invalid() }
        needsComma = true
    }

    /// Skips the next value, whatever it is.
    package mutating func skipValue(in text: Span<UInt8>) throws(Invalid) {
        try skipValue(text, depth: 0)
    }

    private mutating func skipValue(_ text: Span<UInt8>, depth: Int) throws(Invalid) {
        guard depth < Self.depthLimit else { throw Invalid() }
        switch try kind(in: text) {
        case .object:
            try beginObject(in: text)
            while try nextName(in: text) != nil { try skipValue(text, depth: depth + 1) }
        case .array:
            try beginArray(in: text)
            while try nextElement(in: text) { try skipValue(text, depth: depth + 1) }
        case .string: _ = try string(in: text)
        case .number: _ = try number(in: text)
        case .bool: _ = try bool(in: text)
        case .null: try null(in: text)
        }
    }
}

extension JSONText {
    /// The value of the string; decoded only if it contains escapes.
    @inlinable
    package func withValue<Result, Failure>(
        in text: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !isPlain else { return try body(text.extracting(range)) }
        let value = unescaped(text)
        return try body(value.span)
    }

    @usableFromInline
    func unescaped(_ text: Span<UInt8>) -> [UInt8] {
        let raw = text.array(range)
        return JSONScanner(raw).utf8(of: JSONText(range: raw.indices, isPlain: false))
    }
}
