/// A 256-bit hash value, as a key of tables.
package struct Digest: Hashable, Sendable {
    /// Its bytes, the first ones highest.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    package init(_ bytes: InlineArray<32, UInt8>) {
        let bytes = bytes.span
        words = (
            bytes.bigEndian(at: 0), bytes.bigEndian(at: 8), bytes.bigEndian(at: 16),
            bytes.bigEndian(at: 24)
        )
    }

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        words = (
            bytes.bigEndian(at: 0), bytes.bigEndian(at: 8), bytes.bigEndian(at: 16),
            bytes.bigEndian(at: 24)
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

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // The bytes are as good as random, so one word tells as much as four.
        hasher.combine(words.0)
    }
}
