import Base

/// A time in HTTP's format (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` since 1970, not negative.
    static func text(_ seconds: Int64) -> [UInt8] {
        let date = CivilTime(secondsSince1970: seconds)
        let time = [date.hour, date.minute, date.second].map(CivilTime.twoDigits)
        let text =
            "\(days[Int(date.weekday)]), \(CivilTime.twoDigits(date.day)) "
            + "\(months[Int(date.month) - 1]) \(date.year) "
            + time.joined(separator: ":") + " GMT"
        return Array(text.utf8)
    }
}
