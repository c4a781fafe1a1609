/// A time as HTTP writes it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` since 1970, not below zero.
    static func text(_ seconds: Int64) -> [UInt8] {
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, dayOfMonth) = date(day)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits)
        let text =
            "\(days[Int(day % 7)]), \(twoDigits(dayOfMonth)) \(months[Int(month) - 1]) \(year) "
            + time.joined(separator: ":") + " GMT"
        return Array(text.utf8)
    }

    /// Of the day so many days after 1 January 1970. Years are counted from March, so that the leap
    /// day is the last of a year, and in eras of 400 of them, which are all equally long.
    private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
