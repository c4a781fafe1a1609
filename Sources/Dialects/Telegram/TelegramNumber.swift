import Base

/// Numbers in strings.
enum TelegramNumber {
    /// Accepts only the canonical form of a number.
    static func strict<Number: FixedWidthInteger>(
        _ text: some StringProtocol
    ) throws(TelegramRefusal) -> Number {
        let digits = Array(text.utf8)
        guard let number = Int64(strictDecimal: digits.span), let exact = Number(exactly: number)
        else { throw .malformed("Can't parse as an integer string \"\(text)\"") }
        return exact
    }

    /// The number at the start of a text, wrapped to the type's bits; 0 if there is none.
    static func wrapping<Number: FixedWidthInteger>(_ text: String) -> Number {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0).prefix { $0.isDigit }
        let value = digits.reduce(0 as Number) {
            $0 &* 10 &+ Number(truncatingIfNeeded: $1 - UInt8(ascii: "0"))
        }
        return isNegative ? 0 &- value : value
    }

    /// The number at the start of a text, at most the type's maximum.
    static func clamped<Number: FixedWidthInteger>(_ text: String) -> Number {
        text.utf8.prefix { $0.isDigit }.reduce(0 as Number) { value, digit in
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = shifted.addingReportingOverflow(
                Number(truncatingIfNeeded: digit - UInt8(ascii: "0")))
            return isTooLarge || isTooMuch ? .max : sum
        }
    }
}
