/// A length of time as Go writes it: `90s`, `1h30m`, `1.5h`.
enum GoDuration {
    private static let units: [(word: String, nanoseconds: Int64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("μs", 1_000), ("ms", 1_000_000),
        ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Longer ones are refused, because Go cannot count them.
    private static let longestText = 64

    /// Whole seconds, towards zero; nil for anything else.
    static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= longestText else { return nil }
        let isNegative = text.hasPrefix("-")
        var rest = text.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0)
        if rest == "0" { return 0 }
        var total: Int64 = 0
        repeat {
            guard let part = part(&rest) else { return nil }
            let (sum, hasOverflow) = total.addingReportingOverflow(part)
            guard !hasOverflow else { return nil }
            total = sum
        } while !rest.isEmpty
        return (isNegative ? -total : total) / 1_000_000_000
    }

    private static func part(_ rest: inout Substring) -> Int64? {
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction: Substring = ""
        if rest.hasPrefix(".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(1 + fraction.count)
        }
        let word = rest.prefix { !isDigit($0) && $0 != "." }
        rest = rest.dropFirst(word.count)
        guard !(whole.isEmpty && fraction.isEmpty),
            let unit = units.first(where: { $0.word == word })?.nanoseconds,
            let number = whole.isEmpty ? 0 : Int64(whole),
            let rest = Double("0." + (fraction.isEmpty ? "0" : fraction))
        else { return nil }
        let (product, hasOverflow) = number.multipliedReportingOverflow(by: unit)
        let (sum, isTooLong) = product.addingReportingOverflow(Int64(rest * Double(unit)))
        return hasOverflow || isTooLong ? nil : sum
    }

    private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character }
}
