/// A time as people write it on a command line: `90s`, `30m`, `2h`, `1d`, `1w`.
enum TimeSpan {
    private static let units: [Character: Int] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]
    /// What is longer is for good.
    private static let longest = 366 * 86_400

    static func seconds(_ text: String) throws -> Int {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.allSatisfy(\.isASCII),
            let number = Int(digits), number > 0
        else {
            throw CommandError.usage("\(text) is no time", hint: "write 90s, 30m, 2h, 1d or 1w")
        }
        let (seconds, isOver) = number.multipliedReportingOverflow(by: unit)
        guard !isOver, seconds <= longest else {
            throw CommandError.usage(
                "\(text) is too long", hint: "366d at most; without --for it is for good")
        }
        return seconds
    }
}
