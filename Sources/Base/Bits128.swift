/// An identifier of 128 bits.
package struct Bits128: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads network byte order; nil unless there are 16 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.word(at: 0), low: bytes.word(at: 8))
    }

    package var bytes: InlineArray<16, UInt8> {
        InlineArray { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8))
        }
    }
}

/// The spellings of a UUID (RFC 9562 section 4); version and variant are ignored.
extension Bits128 {
    /// Accepts only `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in lower case.
    package init?(canonicalUUID text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        for index in text.indices where text[index].lowercased != text[index] { return nil }
        self.init(dashed: text)
    }

    /// Also accepts upper case, a text without dashes, one in braces, and a URN.
    package init?(uuid text: Span<UInt8>) {
        switch text.count {
        case 32: self.init(hexadecimal: text)
        case 36: self.init(dashed: text)
        case 38:
            guard text[0] == UInt8(ascii: "{"), text[37] == UInt8(ascii: "}") else { return nil }
            self.init(dashed: text.extracting(1..<37))
        case 45:
            guard text.extracting(0..<9).equalsIgnoringCase("urn:uuid:") else { return nil }
            self.init(dashed: text.extracting(9..<45))
        default: return nil
        }
    }

    private init?(hexadecimal text: Span<UInt8>) {
        var (high, low) = (UInt64(0), UInt64(0))
        for index in 0..<32 {
            guard let value = text[index].hexValue else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
        }
        self.init(high: high, low: low)
    }

    private init?(dashed text: Span<UInt8>) {
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else {
            return nil
        }
        var (high, low) = (UInt64(0), UInt64(0))
        for index in 0..<36 where index != 8 && index != 13 && index != 18 && index != 23 {
            guard let value = text[index].hexValue else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
        }
        self.init(high: high, low: low)
    }

    /// Appends 32 digits in lower case.
    package func appendHexadecimal(to output: inout [UInt8]) {
        output.append(addingCapacity: 32) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                let text = UnsafeMutableRawBufferPointer(buffer)
                Self.store(Self.digits(high >> 32), in: text, at: 0, and: 4)
                Self.store(Self.digits(high), in: text, at: 8, and: 12)
                Self.store(Self.digits(low >> 32), in: text, at: 16, and: 20)
                Self.store(Self.digits(low), in: text, at: 24, and: 28)
                count = 32
            }
        }
    }

    /// Appends the canonical form.
    package func appendUUID(to output: inout [UInt8]) {
        output.append(addingCapacity: 36) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                let text = UnsafeMutableRawBufferPointer(buffer)
                text.storeBytes(of: Self.dashes, toByteOffset: 8, as: UInt64.self)
                text.storeBytes(of: Self.dashes, toByteOffset: 16, as: UInt64.self)
                Self.store(Self.digits(high >> 32), in: text, at: 0, and: 4)
                Self.store(Self.digits(high), in: text, at: 9, and: 14)
                Self.store(Self.digits(low >> 32), in: text, at: 19, and: 24)
                Self.store(Self.digits(low), in: text, at: 28, and: 32)
                count = 36
            }
        }
    }

    private static var dashes: UInt64 { 0x2D2D_2D2D_2D2D_2D2D }

    private static func store(
        _ digits: UInt64, in text: UnsafeMutableRawBufferPointer, at first: Int, and second: Int
    ) {
        let halves = (UInt32(truncatingIfNeeded: digits >> 32), UInt32(truncatingIfNeeded: digits))
        text.storeBytes(of: halves.0.bigEndian, toByteOffset: first, as: UInt32.self)
        text.storeBytes(of: halves.1.bigEndian, toByteOffset: second, as: UInt32.self)
    }

    /// The lower 32 bits in hexadecimal, as eight characters, the first one highest.
    private static func digits(_ bits: UInt64) -> UInt64 {
        var digits = bits & 0xFFFF_FFFF
        digits = (digits << 16) & 0x0000_FFFF_0000_0000 | digits & 0xFFFF
        digits = (digits << 8) & 0x00FF_0000_00FF_0000 | digits & 0x0000_00FF_0000_00FF
        digits = (digits << 4) & 0x0F00_0F00_0F00_0F00 | digits & 0x000F_000F_000F_000F
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }
}

/// The identifier as 22 characters of base64url.
extension Bits128 {
    package static let base64URLLength = 22

    package init?(base64URL text: Span<UInt8>) {
        guard text.count == Self.base64URLLength else { return nil }
        let values = Base64URL.values
        // This is a span, because indexing the table itself would copy it each time.
        let table = values.span
        var (high, low) = (UInt64(0), UInt64(0))
        var seen: UInt8 = 0
        // The characters hold 132 bits: of the last one only two count.
        for index in 0..<21 {
            let value = table[Int(text[index])]
            seen |= value
            high = high << 6 | low >> 58
            low = low << 6 | UInt64(value)
        }
        let last = table[Int(text[21])]
        guard (seen | last) < Base64URL.invalid, last & 15 == 0 else { return nil }
        self.init(high: high << 2 | low >> 62, low: low << 2 | UInt64(last >> 4))
    }

    package func appendBase64URL(to output: inout [UInt8]) {
        let bytes = bytes
        Base64URL.append(bytes.span, to: &output)
    }
}

/// A 256-bit hash value, for use as a table key.
package struct Digest: Hashable, Sendable {
    /// The bytes of the hash; the first byte is the highest.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    package init(_ bytes: InlineArray<32, UInt8>) {
        let bytes = bytes.span
        words = (
            bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: 16),
            bytes.word(at: 24)
        )
    }

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        words = (
            bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: 16),
            bytes.word(at: 24)
        )
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        bytes.append(bigEndian: words.0)
        bytes.append(bigEndian: words.1)
        bytes.append(bigEndian: words.2)
        bytes.append(bigEndian: words.3)
        return bytes
    }

    /// 64 digits in lower case.
    package var hexadecimal: [UInt8] {
        var digits: [UInt8] = []
        for half in [(words.0, words.1), (words.2, words.3)] {
            Bits128(high: half.0, low: half.1).appendHexadecimal(to: &digits)
        }
        return digits
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // The bytes are as good as random, so one word is enough.
        hasher.combine(words.0)
    }
}
