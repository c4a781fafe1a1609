/// Writes an account's state: numbers in as few bytes as they need, texts with their length.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: some FixedWidthInteger & SignedInteger) {
        let value = Int64(value)
        unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func muteEnd(_ date: Int64) { number(date == muteForever ? Int64(Int32.max) : date) }

    mutating func unsigned(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func count(_ value: Int) { unsigned(UInt64(value)) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func time(_ value: Double) { unsigned(value.bitPattern.byteSwapped) }

    mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    mutating func data(_ value: [UInt8]) {
        count(value.count)
        bytes += value
    }

    mutating func optional<Value>(
        _ value: Value?, _ write: (inout StateWriter, Value) -> Void
    ) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<Values: Collection>(
        _ values: Values, _ write: (inout StateWriter, Values.Element) -> Void
    ) {
        count(values.count)
        for value in values { write(&self, value) }
    }
}
