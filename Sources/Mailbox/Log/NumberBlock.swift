/// Numbers that only one store gives.
package struct NumberBlock: Equatable, Sendable {
    static let length: UInt32 = 1 << 16
    static let last: UInt32 = 4_000_000_000

    /// Blocks are counted from 1.
    package let number: UInt32

    package init(number: UInt32) { self.number = number }

    /// Nil if there are no such numbers.
    var numbers: ClosedRange<UInt32>? {
        let (end, isTooLarge) = number.multipliedReportingOverflow(by: Self.length)
        guard number > 0, !isTooLarge, end <= Self.last else { return nil }
        return end - Self.length + 1...end
    }
}
