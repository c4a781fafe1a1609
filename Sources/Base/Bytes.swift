extension Span<UInt8> {
    @inlinable package func elementsEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    package func elementsEqual(_ text: StaticString) -> Bool { equals(text, words: ==, byte: ==) }

    /// Compares as ASCII, ignoring case, as for header and parameter names.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        equals(text) {
            $0.equalsIgnoringCase($1)
        } byte: {
            $0.lowercased == $1.lowercased
        }
    }

    /// Compares eight or four bytes at a time. The last ones overlap those before them.
    @inline(__always)
    private func equals(
        _ text: StaticString, words: (UInt64, UInt64) -> Bool, byte: (UInt8, UInt8) -> Bool
    ) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return withUnsafeBytes { bytes in
            let text = UnsafeRawPointer(text.utf8Start)
            func isSame<Word: FixedWidthInteger & BitwiseCopyable>(
                at offset: Int, _: Word.Type
            ) -> Bool {
                words(
                    UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: Word.self)),
                    UInt64(text.loadUnaligned(fromByteOffset: offset, as: Word.self)))
            }
            switch bytes.count {
            case 8...:
                var offset = 0
                while offset < bytes.count - 8 {
                    guard isSame(at: offset, UInt64.self) else { return false }
                    offset += 8
                }
                return isSame(at: bytes.count - 8, UInt64.self)
            case 4...:
                return isSame(at: 0, UInt32.self) && isSame(at: bytes.count - 4, UInt32.self)
            default:
                for offset in bytes.indices {
                    let other = text.load(fromByteOffset: offset, as: UInt8.self)
                    guard byte(bytes[offset], other) else { return false }
                }
                return true
            }
        }
    }

    @inlinable package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        var index = start
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Copies the bytes of `range`.
    @inlinable package func array(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer { [UInt8]($0) }
    }
}

extension [UInt8] {
    @inlinable package mutating func append(contentsOf bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    @inlinable package mutating func append(contentsOf text: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension UInt64 {
    /// Compares eight bytes as ASCII: where two differ, it must be by the case of a letter.
    fileprivate func equalsIgnoringCase(_ other: UInt64) -> Bool {
        let differing = self ^ other
        guard differing != 0 else { return true }
        guard differing & ~0x2020_2020_2020_2020 == 0 else { return false }
        let lower = self | differing
        // The highest bit of each byte says whether it is at least "a", or lies behind "z".
        let seven = lower & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = seven &+ 0x1F1F_1F1F_1F1F_1F1F
        let behindZ = seven &+ 0x0505_0505_0505_0505
        return (differing << 2) & ~(fromA & ~behindZ & ~lower) == 0
    }
}

extension UInt8 {
    @inlinable package var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// `tchar` of RFC 9110 section 5.6.2, as a bit set: no table, no memory access.
    @inlinable package var isTokenCharacter: Bool {
        isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// A letter, a digit, a hyphen or an underscore.
    @inlinable package var isWordCharacter: Bool {
        isIn(0x03FF_2000_0000_0000, 0x07FF_FFFE_87FF_FFFE)
    }

    /// A space or a tab, the only white space in HTTP.
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether it is ASCII and its bit is set in `low` and `high`.
    @inlinable package func isIn(_ low: UInt64, _ high: UInt64) -> Bool {
        self < 128 && ((self < 64 ? low : high) &>> UInt64(self & 63)) & 1 == 1
    }

    @inlinable package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension [UInt8] {
    package mutating func append(decimal value: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 {
            start -= 1
            digits[start] = UInt8(ascii: "-")
        }
        append(contentsOf: digits.span.extracting(start..<digits.count))
    }
}

extension FixedWidthInteger {
    /// A plain decimal number: one or more digits; nil for anything else and on overflow.
    @inlinable package init?(decimalDigits digits: Span<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var value: Self = 0
        for index in digits.indices {
            guard digits[index].isDigit else { return nil }
            let (tens, hasCarry) = value.multipliedReportingOverflow(by: 10)
            let (sum, hasOverflow) = tens.addingReportingOverflow(Self(digits[index] - 48))
            guard !hasCarry, !hasOverflow else { return nil }
            value = sum
        }
        self = value
    }
}

// These functions read and write numbers with the highest byte first, as everything is sent and
// stored. They are not generic, because other modules would look up the type at every call.

extension [UInt8] {
    package mutating func append(bigEndian number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    package mutating func append(bigEndian number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    package func word(at start: Int) -> UInt64 {
        precondition(start >= 0 && start <= count - 8, "the number lies beyond the end")
        return withUnsafeBytes { bytes in
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
    }

    package func halfWord(at start: Int) -> UInt32 {
        precondition(start >= 0 && start <= count - 4, "the number lies beyond the end")
        return withUnsafeBytes { bytes in
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        }
    }
}
