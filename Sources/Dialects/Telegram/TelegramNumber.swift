import Base

/// Numbers that come as text.
enum TelegramNumber {
    /// The one form that a writer gives a number; anything else is refused.
    static func strict<Number: FixedWidthInteger>(
        _ text: some StringProtocol
    ) throws(TelegramRefusal) -> Number {
        let digits = Array(text.utf8)
        guard let number = Int64(strictDecimal: digits.span), let exact = Number(exactly: number)
        else { throw .malformed("Can't parse as an integer string \"\(text)\"") }
        return exact
    }

    /// What a text begins with, as many bits of it as there are; none is zero.
    static func wrapping<Number: FixedWidthInteger>(_ text: String) -> Number {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0).prefix { $0.isDigit }
        let value = digits.reduce(0 as Number) {
            $0 &* 10 &+ Number(truncatingIfNeeded: $1 - UInt8(ascii: "0"))
        }
        return isNegative ? 0 &- value : value
    }

    /// What a text begins with, as far as it can count something.
    static func clamped<Number: FixedWidthInteger>(_ text: String) -> Number {
        text.utf8.prefix { $0.isDigit }.reduce(0 as Number) { value, digit in
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = shifted.addingReportingOverflow(
                Number(truncatingIfNeeded: digit - UInt8(ascii: "0")))
            return isTooLarge || isTooMuch ? .max : sum
        }
    }
}
