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
