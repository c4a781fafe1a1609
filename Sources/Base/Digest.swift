/// A 256-bit hash value, as a key of tables.
package struct Digest: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    package init(_ bytes: InlineArray<32, UInt8>) {
        func word(_ start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }
        words = (word(0), word(8), word(16), word(24))
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // The bytes are as good as random, so one word tells as much as four.
        hasher.combine(words.0)
    }
}
