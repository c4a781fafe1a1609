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
