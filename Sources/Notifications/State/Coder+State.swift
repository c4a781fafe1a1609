import Base

/// What stored accounts are made of.
extension Coder {
    /// The last value of a 32-bit counter.
    static let lastCount = Int32.max / 2 - 1

    /// A counter: never negative, and not at its end.
    mutating func counter<Number: FixedWidthInteger & SignedInteger>(_ value: inout Number) {
        number(&value)
        require(value >= 0 && value < Number.max / 2)
    }

    /// Seconds since 1970.
    mutating func date(_ value: inout Int64) {
        number(&value)
        require(value.isDate)
    }

    /// The last second of 31 bits stands for "for ever".
    mutating func muteEnd(_ value: inout Int64) {
        var end = value == muteForever ? Int64(Int32.max) : value
        date(&end)
        value = end == Int32.max ? muteForever : end
    }

    mutating func muteEnd(_ value: inout Int64?) {
        var isThere = value != nil
        flag(&isThere)
        if isReading { value = isThere ? 0 : nil }
        guard var end = value else { return }
        muteEnd(&end)
        value = end
    }

    /// JSON that is passed on.
    mutating func json(_ value: inout String) {
        text(&value)
        require(Self.isLine(Array(value.utf8)))
    }

    mutating func json(_ value: inout [UInt8]) {
        data(&value)
        require(Self.isLine(value))
    }

    mutating func jsonOrEmpty(_ value: inout String) {
        text(&value)
        require(value.isEmpty || Self.isLine(Array(value.utf8)))
    }

    /// Whether it is JSON that may stand in a line. More is not asked: what has been stored once must
    /// not make an account unreadable.
    private static func isLine(_ source: [UInt8]) -> Bool {
        // Why it is no JSON does not matter.
        source.allSatisfy { $0 >= 0x20 } && (try? JSONDocument(source)) != nil
    }
}

/// The end of the year 9999.
let latestDate: Int64 = 253_402_300_799

extension Int64 {
    /// The whole seconds of a time since 1970, clamped to what a date can be.
    init(time: Double) {
        self = time.isNaN ? 0 : Int64(Swift.min(Swift.max(time, 0), Double(latestDate)))
    }

    var isDate: Bool { Int64(Int32.min)...latestDate ~= self }
}

extension Collection where Element: Comparable {
    /// Each is greater than the one before it.
    var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
