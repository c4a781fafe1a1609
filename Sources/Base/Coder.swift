/// A value that is stored, or sent to another store. It lists its fields once, for writing and for
/// reading.
package protocol Coded {
    /// What is read into.
    static var blank: Self { get }

    /// Passes each field to the coder, in the order of the bytes.
    mutating func code(_ coder: inout Coder)
}

extension Coded {
    /// The value as bytes.
    @inlinable package var coded: [UInt8] {
        var coder = Coder()
        _ = coder.coded(self)
        return coder.written
    }

    /// The value that these bytes are, all of them; nil if they are none.
    @inlinable package static func decoded(_ bytes: [UInt8]) -> Self? {
        var coder = Coder(reading: bytes)
        let value = coder.coded(blank)
        return coder.isWhole ? value : nil
    }
}

/// Writes values as bytes, or reads them back.
///
/// Numbers take as few bytes as they need; texts and data come after their length. Reading refuses
/// what writing does not make, so one value has one form. The first thing that does not fit ends it:
/// from then on fields keep the values they have, and whoever began looks at `isWhole`.
package struct Coder {
    @usableFromInline var bytes: [UInt8]
    @usableFromInline var position = 0
    @usableFromInline var isDamaged = false
    package let isReading: Bool

    /// Writes.
    package init() {
        bytes = []
        isReading = false
    }

    package init(reading bytes: [UInt8]) {
        self.bytes = bytes
        isReading = true
    }

    package var written: [UInt8] { bytes }

    /// All that was read so far was as it is written.
    package var isSound: Bool { !isDamaged }
    /// There is more to read.
    package var hasMore: Bool { position < bytes.count }
    /// Everything was read, and was as it is written.
    package var isWhole: Bool { !isDamaged && position == bytes.count }

    @usableFromInline mutating func damage() {
        isDamaged = true
        position = bytes.count
    }

    /// Refuses what was read unless it can be.
    @inlinable package mutating func require(_ condition: @autoclosure () -> Bool) {
        if isReading, !isDamaged, !condition() { damage() }
    }
}

extension Coder {
    @inlinable package mutating func byte(_ value: inout UInt8) {
        guard isReading else { return bytes.append(value) }
        guard position < bytes.count else { return damage() }
        value = bytes[position]
        position += 1
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have the highest bit.
    @inlinable package mutating func word(_ value: inout UInt64) {
        guard isReading else { return write(value) }
        var (read, shift) = (0 as UInt64, 0 as UInt64)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            // The tenth byte has one bit, and none at the end is empty.
            if byte == 0 && shift > 0 || byte > 1 && shift == 63 { break }
            read |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                value = read
                return
            }
            shift += 7
        }
        damage()
    }

    @usableFromInline mutating func write(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    @inlinable package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number
    ) {
        var wide = UInt64(value)
        word(&wide)
        guard let number = Number(exactly: wide) else { return damage() }
        value = number
    }

    /// Those near zero take few bytes.
    @inlinable package mutating func number<Number: FixedWidthInteger & SignedInteger>(
        _ value: inout Number
    ) {
        let wide = Int64(value)
        var bits = UInt64(bitPattern: wide << 1 ^ wide >> 63)
        word(&bits)
        let read = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
        guard let number = Number(exactly: read) else { return damage() }
        value = number
    }

    @inlinable package mutating func flag(_ value: inout Bool) {
        var number: UInt8 = value ? 1 : 0
        byte(&number)
        if number > 1 { damage() } else { value = number == 1 }
    }

    package mutating func time(_ value: inout Double) {
        var bits = value.bitPattern.byteSwapped
        word(&bits)
        let read = Double(bitPattern: bits.byteSwapped)
        require(read.isFinite)
        if !isDamaged { value = read }
    }

    /// Eight bytes, whatever the number is: the time of now, which is rarely a whole second, takes
    /// more as a number of any length.
    package mutating func fixed(_ value: inout UInt64) {
        guard isReading else { return bytes.append(bigEndian: value) }
        guard bytes.count - position >= 8 else { return damage() }
        value = bytes.span.word(at: position)
        position += 8
    }

    /// An enumeration by its number.
    @inlinable package mutating func choice<Value: RawRepresentable>(_ value: inout Value)
    where Value.RawValue == UInt8 {
        var number = value.rawValue
        byte(&number)
        guard let read = Value(rawValue: number) else { return damage() }
        value = read
    }

    /// Returns the count, which is never more than the remaining bytes could hold.
    @inlinable package mutating func count(_ value: Int) -> Int {
        var count = UInt64(value)
        word(&count)
        guard isReading else { return value }
        if count > UInt64(bytes.count - position) { damage() }
        return isDamaged ? 0 : Int(count)
    }

    package mutating func data(_ value: inout [UInt8]) {
        let count = count(value.count)
        guard isReading else { return bytes.append(contentsOf: value) }
        guard !isDamaged else { return }
        value = Array(bytes[position..<position + count])
        position += count
    }

    package mutating func text(_ value: inout String) {
        let count = count(value.utf8.count)
        guard isReading else { return bytes.append(contentsOf: value.utf8) }
        let read = String(validating: bytes[position..<position + count], as: UTF8.self)
        guard let read, !isDamaged else { return damage() }
        value = read
        position += count
    }
}

/// Values of values.
extension Coder {
    /// For the parts of an enumeration.
    @inlinable package mutating func coded<Value: Coded>(_ value: Value) -> Value {
        var value = value
        value.code(&self)
        return value
    }

    /// The case of an enumeration with parts, by its number. Reading begins with the blank one.
    @inlinable package mutating func kind<Value>(
        _ value: inout Value, _ number: UInt8, _ blank: (UInt8) -> Value?
    ) {
        var number = number
        byte(&number)
        guard isReading, !isDamaged else { return }
        guard let read = blank(number) else { return damage() }
        value = read
    }

    @inlinable package mutating func optional<Value: Coded>(_ value: inout Value?) {
        var isThere = value != nil
        flag(&isThere)
        if isThere { value = coded(value ?? Value.blank) } else { value = nil }
    }

    @inlinable package mutating func list<Value: Coded>(_ values: inout [Value]) {
        let count = count(values.count)
        guard isReading else {
            for value in values { _ = coded(value) }
            return
        }
        values = []
        for _ in 0..<count where !isDamaged { values.append(coded(Value.blank)) }
    }

    /// Sorted by key.
    @inlinable package mutating func map<Key: Coded & Comparable & Hashable, Value: Coded>(
        _ values: inout [Key: Value]
    ) {
        let count = count(values.count)
        guard isReading else {
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                _ = coded(key)
                _ = coded(value)
            }
            return
        }
        values = [:]
        var last: Key?
        for _ in 0..<count where !isDamaged {
            let key = coded(Key.blank)
            if let last { require(last < key) }
            values[key] = coded(Value.blank)
            last = key
        }
    }
}

extension Bool: Coded {
    package static var blank: Bool { false }
    package mutating func code(_ coder: inout Coder) { coder.flag(&self) }
}

extension Int32: Coded {
    package static var blank: Int32 { 0 }
    package mutating func code(_ coder: inout Coder) { coder.number(&self) }
}

extension Int64: Coded {
    package static var blank: Int64 { 0 }
    package mutating func code(_ coder: inout Coder) { coder.number(&self) }
}

extension Double: Coded {
    package static var blank: Double { 0 }
    package mutating func code(_ coder: inout Coder) { coder.time(&self) }
}

extension String: Coded {
    package static var blank: String { "" }
    package mutating func code(_ coder: inout Coder) { coder.text(&self) }
}
