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
