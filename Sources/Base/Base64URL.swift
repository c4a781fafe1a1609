/// The URL-safe alphabet of RFC 4648 section 5, without padding (RFC 7515 section 2).
package enum Base64URL {
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return output
    }

    /// How many characters `count` bytes become.
    package static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.append(addingCapacity: length(of: bytes.count)) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                bytes.withUnsafeBytes { bytes in
                    let output = UnsafeMutableRawBufferPointer(buffer)
                    let done = encodeWide(bytes, output)
                    count = encode(bytes, from: done, output, at: done / 3 * 4)
                }
            }
        }
    }

    /// Encodes six bytes at a time while a whole word can be read; returns how many bytes.
    private static func encodeWide(
        _ bytes: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let words = bytes.count < 8 ? 0 : (bytes.count - 2) / 6
        guard let source = bytes.baseAddress, let target = output.baseAddress else { return 0 }
        let table = pairs
        table.withUnsafeBufferPointer { table in
            guard let pairs = table.baseAddress else { return }
            // Unchecked access: the output has room for the whole input, and the table for twelve
            // bits.
            for word in 0..<words {
                let bits = UInt64(
                    bigEndian: source.loadUnaligned(
                        fromByteOffset: 6 &* word, as: UInt64.self))
                let characters = target + 8 &* word
                store(pairs[Int(bits >> 52)], at: characters)
                store(pairs[Int(bits >> 40 & 0xFFF)], at: characters + 2)
                store(pairs[Int(bits >> 28 & 0xFFF)], at: characters + 4)
                store(pairs[Int(bits >> 16 & 0xFFF)], at: characters + 6)
            }
        }
        return 6 * words
    }

    @inline(__always)
    private static func store(_ pair: UInt16, at target: UnsafeMutableRawPointer) {
        target.storeBytes(of: pair.littleEndian, as: UInt16.self)
    }

    /// Two characters for each twelve bits, the first one in the lower byte.
    private static let pairs: [UInt16] = (0..<4_096).map { bits in
        UInt16(character(bits >> 6)) | UInt16(character(bits)) << 8
    }

    /// Encodes byte by byte; returns where the characters end. Uses a table, because branches on
    /// the data would be unpredictable.
    private static func encode(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ output: UnsafeMutableRawBufferPointer,
        at position: Int
    ) -> Int {
        let pairs = pairs
        var position = position
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for index in start..<bytes.count {
            bits = bits << 8 | UInt32(bytes[index])
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                output[position] = UInt8(pairs[Int(bits >> bitCount & 63)] >> 8)
                position += 1
            }
        }
        guard bitCount > 0 else { return position }
        output[position] = UInt8(pairs[Int(bits << (6 - bitCount) & 63)] >> 8)
        return position + 1
    }

    package static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    /// Accepts only the canonical encoding: no padding, no other alphabet, no stray bits at the
    /// end.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let tail = text.count % 4
        guard tail != 1 else { return nil }
        var isValid = true
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: text.count / 4 * 3 + 2) { output in
            output.withUnsafeMutableBufferPointer { output, count in
                (count, isValid) = store(text, in: output)
            }
        }
        return isValid ? bytes : nil
    }

    /// Returns how many bytes it stored, and whether the text is valid.
    private static func store(
        _ text: Span<UInt8>, in output: UnsafeMutableBufferPointer<UInt8>
    ) -> (count: Int, isValid: Bool) {
        let tail = text.count % 4
        var count = text.count / 4 * 3
        var isValid = true
        let values = Self.values
        // This is a span, because indexing the table itself would copy it each time.
        let table = values.span
        var seen = storeGroups(of: text, in: output, by: table)
        if tail >= 2 {
            var group: UInt32 = 0
            for index in text.count - tail..<text.count {
                let value = table[Int(text[index])]
                seen |= value
                group = group << 6 | UInt32(value & 63)
            }
            group <<= UInt32(24 - 6 * tail)
            output[count] = UInt8(truncatingIfNeeded: group >> 16)
            count += 1
            if tail == 3 {
                output[count] = UInt8(truncatingIfNeeded: group >> 8)
                count += 1
            }
            // Bits after the last whole byte must be zero, or two texts would mean one value.
            let rest = tail == 2 ? group & 0xFFFF : group & 0xFF
            isValid = rest == 0
        }
        return (count, isValid && seen < invalid)
    }

    /// Three bytes for each four characters. Returns all values together.
    private static func storeGroups(
        of text: Span<UInt8>, in output: UnsafeMutableBufferPointer<UInt8>, by table: Span<UInt8>
    ) -> UInt8 {
        precondition(output.count >= text.count / 4 * 3)
        var seen: UInt8 = 0
        text.withUnsafeBufferPointer { text in
            table.withUnsafeBufferPointer { table in
                // Unchecked access: the output has room, and the table has all bytes.
                for group in 0..<text.count / 4 {
                    let (source, target) = (4 &* group, 3 &* group)
                    let first = table[Int(text[source])]
                    let second = table[Int(text[source &+ 1])]
                    let third = table[Int(text[source &+ 2])]
                    let fourth = table[Int(text[source &+ 3])]
                    seen |= first | second | third | fourth
                    output[target] = first << 2 | second >> 4 & 3
                    output[target &+ 1] = second << 4 | third >> 2 & 15
                    output[target &+ 2] = third << 6 | fourth & 63
                }
            }
        }
        return seen
    }

    /// Decodes into `output`. False unless the text is canonical and fills it.
    package static func decode(_ text: Span<UInt8>, filling output: inout MutableSpan<UInt8>)
        -> Bool
    {
        guard text.count == length(of: output.count) else { return false }
        return output.withUnsafeMutableBufferPointer { store(text, in: $0).isValid }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8).span)
    }

    /// Like `decode`, but first cuts one or two `=` from the end, which some senders write.
    package static func decodeToleratingPadding(_ text: Span<UInt8>) -> [UInt8]? {
        decode(text.extracting(0..<lengthWithoutPadding(text)))
    }

    /// Like `decodeToleratingPadding`, but also accepts the two characters of the standard alphabet
    /// (RFC 4648 section 4).
    package static func decodeToleratingAlphabet(_ text: Span<UInt8>) -> [UInt8]? {
        let characters = text.array(text.indices).map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        return decodeToleratingPadding(characters.span)
    }

    package static let paddingLimit = 2

    private static func lengthWithoutPadding(_ text: Span<UInt8>) -> Int {
        var length = text.count
        while length > 0, text.count - length < paddingLimit,
            text[length - 1] == UInt8(ascii: "=")
        {
            length -= 1
        }
        return length
    }

    /// The entry of `values` for a byte outside the alphabet.
    static let invalid: UInt8 = 64

    @inline(__always)
    private static func character(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value & 63)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    /// The six bits that each character stands for.
    static let values: InlineArray<256, UInt8> = {
        var values = InlineArray<256, UInt8>(repeating: invalid)
        for value in 0..<UInt32(invalid) { values[Int(character(value))] = UInt8(value) }
        return values
    }()
}

/// Base64 of RFC 4648 section 4 with padding, made from the URL-safe form by exchanging two
/// characters.
package enum Base64 {
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text = Base64URL.encode(bytes)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Nil if the text is not base64 of this alphabet. Padding may be missing.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        var text = text
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decodeToleratingPadding(text.span)
    }

    package static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }
}
