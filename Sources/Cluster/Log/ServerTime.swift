import Base

/// How servers write a moment: `2026-11-27T06:35:30.636905416Z` (RFC 3339 section 5.6, in UTC).
enum ServerTime {
    /// Milliseconds since 1970; nil if it is no such text.
    static func milliseconds(_ text: String) -> Int64? {
        let parts = text.split(whereSeparator: { "-T:.Z".contains($0) })
        guard text.hasSuffix("Z"), 6...7 ~= parts.count else { return nil }
        let numbers = parts.prefix(6).compactMap { Int64($0) }
        guard numbers.count == 6, 1970...9999 ~= numbers[0], 1...12 ~= numbers[1],
            1...31 ~= numbers[2], 0..<24 ~= numbers[3], 0..<60 ~= numbers[4], 0...60 ~= numbers[5]
        else { return nil }
        let fraction = parts.count == 7 ? (String(parts[6].prefix(3)) + "00").prefix(3) : "0"
        guard let rest = Int64(fraction) else { return nil }
        let days = days(numbers[0], numbers[1], numbers[2])
        return (((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) * 1_000 + rest
    }

    /// Since 1970. Years begin in March here, so that the leap day is the last one.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        return years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day
            - 719_469
    }
}
