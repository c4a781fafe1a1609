/// One value of a `JSONDocument`.
package struct JSONNode: Sendable {
    let document: JSONDocument.Contents
    let index: Int

    init(_ document: JSONDocument.Contents, _ index: Int) {
        self.document = document
        self.index = index
    }

    private var node: JSONDocument.Node { document.nodes[index] }

    package var kind: JSONDocument.Kind { node.kind }

    /// The member with that name; of several, the first.
    package subscript(_ name: StaticString) -> JSONNode? {
        guard let value = document.value(of: name, in: index) else { return nil }
        return JSONNode(document, value)
    }

    package func has(_ name: StaticString) -> Bool {
        document.value(of: name, in: index) != nil
    }

    /// The elements of an array; empty for anything else.
    package var elements: [JSONNode] {
        guard kind == .array else { return [] }
        return values(from: index + 1, step: 0)
    }

    /// The strings of an array that contains nothing else; nil otherwise.
    package var texts: [String]? {
        guard kind == .array else { return nil }
        let end = Int(node.next)
        var texts: [String] = []
        var index = index + 1
        while index < end {
            guard document.nodes[index].kind == .string else { return nil }
            texts.append(document.text(of: document.nodes[index]))
            index += 1
        }
        return texts
    }

    /// The members of an object, in order.
    package var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        return values(from: index + 2, step: 1).map { value in
            (JSONNode(document, value.index - 1).text ?? "", value)
        }
    }

    private func values(from first: Int, step: Int) -> [JSONNode] {
        let end = Int(node.next)
        var result: [JSONNode] = []
        var index = first
        while index < end {
            result.append(JSONNode(document, index))
            index = Int(document.nodes[index].next) + step
        }
        return result
    }
}

/// The value as the type that the caller needs, or nil.
extension JSONNode {
    package var text: String? {
        kind == .string ? document.text(of: node) : nil
    }

    package var bool: Bool? { kind == .bool ? node.flag : nil }

    /// The value of a number, or of a string that holds one, because peers write large numbers as
    /// text.
    package var integer: Int64? {
        guard kind == .number || kind == .string else { return nil }
        let node = node
        guard kind == .number || node.flag else {
            let text = document.utf8(of: node)
            return Int64(strictDecimal: text.span)
        }
        let bytes = document.bytes
        return Int64(strictDecimal: bytes.span.extracting(Int(node.start)..<Int(node.end)))
    }

    /// The value of a string, or the text of a number.
    package var textOrNumber: String? {
        guard kind == .number else { return text }
        return String(decoding: source, as: UTF8.self)
    }

    /// The JSON text of this value.
    package var source: ArraySlice<UInt8> {
        let node = node
        switch node.kind {
        case .string: return document.bytes[Int(node.start) - 1..<Int(node.end) + 1]
        case .bool: return node.flag ? Array("true".utf8)[...] : Array("false".utf8)[...]
        case .null: return Array("null".utf8)[...]
        case .object, .array, .number: return document.bytes[Int(node.start)..<Int(node.end)]
        }
    }
}

extension Int64 {
    /// Accepts only the canonical decimal form: no plus, no leading zero, no minus zero.
    package init?(strictDecimal text: Span<UInt8>) {
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        let digits = text.extracting((isNegative ? 1 : 0)..<text.count)
        guard let magnitude = UInt64(decimalDigits: digits) else { return nil }
        let hasLeadingZero = digits.count > 1 && digits[0] == UInt8(ascii: "0")
        guard !hasLeadingZero, !(isNegative && magnitude == 0) else { return nil }
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            self = Int64(truncatingIfNeeded: 0 &- magnitude)
        } else {
            guard let value = Int64(exactly: magnitude) else { return nil }
            self = value
        }
    }
}

extension FixedWidthInteger {
    /// The number at the start of a text, wrapped to the type's bits; 0 if there is none.
    package init(wrappedStartOf text: String) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0).prefix { $0.isDigit }
        let value = digits.reduce(0 as Self) {
            $0 &* 10 &+ Self(truncatingIfNeeded: $1 - UInt8(ascii: "0"))
        }
        self = isNegative ? 0 &- value : value
    }
}

/// Strings with half of a surrogate pair, which `text` replaces by U+FFFD.
extension JSONNode {
    /// The bytes of a string as TDLib decodes them: two surrogates in a row become one character,
    /// and a lone one becomes invalid UTF-8.
    package var halfDecoded: [UInt8] {
        kind == .string ? Self.decoded(source.dropFirst().dropLast()) : []
    }

    /// Whether it is a string with a lone surrogate.
    package var hasLoneSurrogate: Bool {
        guard text?.unicodeScalars.contains("\u{FFFD}") == true else { return false }
        return String(validating: halfDecoded, as: UTF8.self) == nil
    }

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
}
