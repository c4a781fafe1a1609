extension IPAddress {
    /// Reads IPv4 or IPv6 in any form of RFC 4291 section 2.2, without zone or brackets.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    package init?(_ text: Span<UInt8>) {
        guard text.firstIndex(of: UInt8(ascii: ":")) != nil else {
            guard let bits = Self.v4Bits(text) else { return nil }
            self.init(v4: bits)
            return
        }
        // A longer text cannot be an address.
        guard text.count <= 45, let (before, after) = Self.halves(text) else { return nil }
        var groups = before
        if let after {
            // "::" stands for at least one group.
            guard before.count + after.count <= 7 else { return nil }
            groups += Array(repeating: 0, count: 8 - before.count - after.count) + after
        }
        guard groups.count == 8 else { return nil }
        self.init(high: Self.bits(groups[..<4]), low: Self.bits(groups[4...]))
    }

    private static func bits(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// The groups before and after "::"; nil for the second part if there is none.
    private static func halves(_ text: Span<UInt8>) -> ([UInt16], [UInt16]?)? {
        for index in text.indices.dropLast()
        where text[index] == UInt8(ascii: ":") && text[index + 1] == UInt8(ascii: ":") {
            guard let before = groups(text.extracting(0..<index), mayEndInV4: false),
                let after = groups(text.extracting(index + 2..<text.count), mayEndInV4: true)
            else { return nil }
            return (before, after)
        }
        return groups(text, mayEndInV4: true).map { ($0, nil) }
    }

    private static func groups(_ text: Span<UInt8>, mayEndInV4: Bool) -> [UInt16]? {
        var groups: [UInt16] = []
        var start = 0
        while start < text.count || !groups.isEmpty {
            let end = text.firstIndex(of: UInt8(ascii: ":"), from: start) ?? text.count
            let part = text.extracting(start..<end)
            if end == text.count, mayEndInV4, let bits = v4Bits(part) {
                return groups + [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
            }
            guard let group = group(part) else { return nil }
            groups.append(group)
            if end == text.count { break }
            start = end + 1
        }
        return groups
    }

    /// One to four hexadecimal digits.
    private static func group(_ text: Span<UInt8>) -> UInt16? {
        guard (1...4).contains(text.count) else { return nil }
        var value: UInt16 = 0
        for index in text.indices {
            let byte = text[index].lowercased
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(byte - 87)
            default: return nil
            }
        }
        return value
    }

    /// Four decimal numbers. A leading zero is refused: elsewhere it means octal.
    private static func v4Bits(_ text: Span<UInt8>) -> UInt32? {
        var bits: UInt32 = 0
        var start = 0
        for position in 0..<4 {
            let dot = text.firstIndex(of: UInt8(ascii: "."), from: start)
            guard position < 3 ? dot != nil : dot == nil, start < text.count else { return nil }
            let part = text.extracting(start..<(dot ?? text.count))
            guard part.count <= 3, let number = UInt8(decimalDigits: part),
                part.count == 1 || part[0] != UInt8(ascii: "0")
            else { return nil }
            bits = bits << 8 | UInt32(number)
            start += part.count + 1
        }
        return bits
    }
}
