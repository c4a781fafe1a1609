/// A length of time as typed on a command line: `90s`, `30m`, `2h`, `1d`, `1w`.
enum TimeSpan {
    private static let units: [Character: Int] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]
    /// TDLib treats a longer time as forever.
    private static let longest = 366 * 86_400

    static func seconds(_ text: String) throws -> Int {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.allSatisfy(\.isASCII),
            let number = Int(digits), number > 0
        else {
            throw CommandError.usage(
                "\(text) is not a length of time", hint: "write 90s, 30m, 2h, 1d or 1w")
        }
        let (seconds, isOver) = number.multipliedReportingOverflow(by: unit)
        guard !isOver, seconds <= longest else {
            throw CommandError.usage(
                "\(text) is too long", hint: "use at most 366d; without --for it is for good")
        }
        return seconds
    }
}
