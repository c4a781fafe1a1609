import Base

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

/// Reads what `StateWriter` wrote; refuses everything else.
struct StateReader {
    struct Damage: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(Damage) -> UInt8 {
        guard position < bytes.count else { throw Damage() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func unsigned() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, through: 63, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Damage()
    }

    mutating func unsigned(atMost limit: UInt64) throws(Damage) -> UInt64 {
        let value = try unsigned()
        guard value <= limit else { throw Damage() }
        return value
    }

    mutating func number<Number: FixedWidthInteger & SignedInteger>() throws(Damage) -> Number {
        let value = try unsigned()
        let signed = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
        guard let number = Number(exactly: signed) else { throw Damage() }
        return number
    }

    /// The last value of a 32-bit counter.
    static let lastCount = Int32.max / 2 - 1

    /// A counter: never negative, and not at its end.
    mutating func counter<Number: FixedWidthInteger & SignedInteger>() throws(Damage) -> Number {
        let number: Number = try number()
        guard number >= 0, number < Number.max / 2 else { throw Damage() }
        return number
    }

    /// Seconds since 1970.
    mutating func date() throws(Damage) -> Int64 {
        let date: Int64 = try number()
        guard Int64(Int32.min)...latestDate ~= date else { throw Damage() }
        return date
    }

    /// The last second of 31 bits stands for "for ever".
    mutating func muteEnd() throws(Damage) -> Int64 {
        let date = try date()
        return date == Int32.max ? muteForever : date
    }

    /// A count, which is never more than the remaining bytes could hold.
    mutating func count() throws(Damage) -> Int {
        let value = try unsigned()
        guard value <= UInt64(bytes.count - position) else { throw Damage() }
        return Int(value)
    }

    mutating func flag() throws(Damage) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw Damage()
        }
    }

    mutating func time() throws(Damage) -> Double {
        let time = Double(bitPattern: try unsigned().byteSwapped)
        guard time.isFinite else { throw Damage() }
        return time
    }

    mutating func data() throws(Damage) -> [UInt8] {
        let count = try count()
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func text() throws(Damage) -> String {
        let count = try count()
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    /// JSON that is passed on, written anew.
    mutating func json() throws(Damage) -> [UInt8] { Array(try jsonText(data()).utf8) }

    mutating func jsonOrEmpty() throws(Damage) -> String {
        let source = try data()
        return source.isEmpty ? "" : try jsonText(source)
    }

    private func jsonText(_ source: [UInt8]) throws(Damage) -> String {
        // Why it is no JSON does not matter.
        guard let document = try? JSONDocument(source) else { throw Damage() }
        return JSONText.anew(document.root)
    }

    mutating func optional<Value>(
        _ read: (inout StateReader) throws(Damage) -> Value
    ) throws(Damage) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func list<Value>(
        _ read: (inout StateReader) throws(Damage) -> Value
    ) throws(Damage) -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    /// An enumeration by its number.
    mutating func choice<Value: RawRepresentable>() throws(Damage) -> Value
    where Value.RawValue == UInt8 {
        guard let value = Value(rawValue: try byte()) else { throw Damage() }
        return value
    }
}

/// The end of the year 9999.
let latestDate: Int64 = 253_402_300_799

extension Int64 {
    /// The whole seconds of a time since 1970, clamped to what a date can be.
    init(time: Double) {
        self = time.isNaN ? 0 : Int64(Swift.min(Swift.max(time, 0), Double(latestDate)))
    }
}
