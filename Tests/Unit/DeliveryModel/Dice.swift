/// Random choices, reproducible by their seed, or choices read from given bytes.
package struct Dice {
    private var state: UInt64
    private var bytes: ArraySlice<UInt8>?

    package init(seed: UInt64) { state = seed }

    package init(_ bytes: [UInt8]) {
        state = 0
        self.bytes = bytes[...]
    }

    /// The bytes are used up.
    package var isOver: Bool { bytes?.isEmpty == true }

    /// A number from 0 up to `sides` - 1.
    package mutating func roll(_ sides: Int) -> Int {
        if let byte = bytes?.popFirst() { return Int(byte) % sides }
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ word >> 31) >> 33) % sides
    }

    /// True once in `sides` times.
    package mutating func hits(_ sides: Int) -> Bool { roll(sides) == 0 }

    package mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[roll(values.count)]
    }
}
