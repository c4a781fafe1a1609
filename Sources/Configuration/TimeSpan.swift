/// A length of time as people write it: `90s`, `30m`, `2h`, `1d`, `1w`.
package enum TimeSpan {
    private static let units: [Character: Int] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]
    /// TDLib treats a longer time as forever.
    private static let longest = 366 * 86_400

    package static func seconds(_ text: String) throws(ConfigurationError) -> Int {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.allSatisfy(\.isASCII),
            let number = Int(digits), number > 0
        else {
            throw ConfigurationError(
                "is not a length of time", hint: "write 90s, 30m, 2h, 1d or 1w")
        }
        let (seconds, isOver) = number.multipliedReportingOverflow(by: unit)
        guard !isOver, seconds <= longest else {
            throw ConfigurationError("is too long", hint: "use at most 366d")
        }
        return seconds
    }

    /// In the same form, with the largest unit that fits.
    package static func text(_ seconds: Int) -> String {
        let unit = units.filter { seconds % $0.value == 0 && $0.key != "w" }
            .max { $0.value < $1.value }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "\(seconds)s"
    }
}
