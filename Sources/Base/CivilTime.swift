/// A moment in UTC as calendar date and time.
package struct CivilTime: Equatable, Sendable {
    package let year: Int64
    package let month: Int64
    package let day: Int64
    package let hour: Int64
    package let minute: Int64
    package let second: Int64
    /// Zero for a Thursday.
    package let weekday: Int64

    /// `seconds` since 1970, not below zero.
    package init(secondsSince1970 seconds: Int64) {
        let (days, rest) = max(0, seconds).quotientAndRemainder(dividingBy: 86_400)
        (year, month, day) = Self.date(days)
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        weekday = days % 7
    }

    /// `2026-11-21T17:05:09Z` (RFC 3339 section 5.6).
    package var rfc3339: String {
        "\(year)-" + [month, day].map(Self.twoDigits).joined(separator: "-") + "T"
            + [hour, minute, second].map(Self.twoDigits).joined(separator: ":") + "Z"
    }

    package static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The date that is `day` days after 1 January 1970. Years are counted from March, so that the
    /// leap day is the last day of a year, and in eras of 400 years, which are equally long.
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

    /// The other way around: how many days after 1 January 1970 the date is.
    package static func days(to year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let shiftedMonth = (month + 9) % 12
        return years * 365 + years / 4 - years / 100 + years / 400
            + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
    }
}

/// The other way around.
extension CivilTime {
    /// Milliseconds since 1970 of a moment such as `2026-11-21T17:05:09.25+01:00` (RFC 3339 section
    /// 5.6). Nil for anything else, and before 1970.
    package static func milliseconds(rfc3339 text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard 20...40 ~= bytes.count, bytes[10].lowercased == UInt8(ascii: "t"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
        else { return nil }
        let fields = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap {
            Int64(decimalDigits: bytes.span.extracting($0))
        }
        guard fields.count == 6, 1970...9999 ~= fields[0], 1...12 ~= fields[1],
            1...31 ~= fields[2], fields[3] < 24, fields[4] < 60, fields[5] <= 60
        else { return nil }
        let days = days(to: fields[0], fields[1], fields[2])
        // The month may be shorter.
        guard CivilTime(secondsSince1970: days * 86_400).day == fields[2] else { return nil }
        var rest = bytes[19...]
        guard let fraction = fraction(&rest), let offset = offset(rest) else { return nil }
        let seconds = ((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5] - offset
        return seconds < 0 ? nil : seconds * 1_000 + fraction
    }

    /// In milliseconds; further digits do not count.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix(while: \.isDigit)
        rest = rest.dropFirst(1 + digits.count)
        let first = Array((digits + "00".utf8).prefix(3))
        return digits.isEmpty ? nil : Int64(decimalDigits: first.span)
    }

    /// In seconds.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        let bytes = Array(text)
        if bytes.count == 1 { return bytes[0].lowercased == UInt8(ascii: "z") ? 0 : nil }
        guard bytes.count == 6, "+-".utf8.contains(bytes[0]), bytes[3] == UInt8(ascii: ":"),
            let hours = Int64(decimalDigits: bytes.span.extracting(1..<3)), hours < 24,
            let minutes = Int64(decimalDigits: bytes.span.extracting(4..<6)), minutes < 60
        else { return nil }
        let offset = (hours * 60 + minutes) * 60
        return bytes[0] == UInt8(ascii: "-") ? -offset : offset
    }
}

/// HTTP's form of a moment.
extension CivilTime {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
    package var httpDate: String {
        let time = [hour, minute, second].map(Self.twoDigits).joined(separator: ":")
        return "\(Self.weekdays[Int(weekday)]), \(Self.twoDigits(day)) "
            + "\(Self.monthNames[Int(month) - 1]) \(year) \(time) GMT"
    }

    /// Seconds since 1970; nil for anything but this form, and before 1970.
    package static func seconds(httpDate text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, let month = monthNames.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let date = [parts[3], "\(twoDigits(Int64(month) + 1))", parts[1]].joined(separator: "-")
        let moment = milliseconds(rfc3339: "\(date)T\(parts[4])Z")
        guard let seconds = moment.map({ $0 / 1_000 }),
            CivilTime(secondsSince1970: seconds).httpDate == text
        else { return nil }
        return seconds
    }
}

/// A number of bytes as people read it.
package enum ByteCount {
    package static func text(_ bytes: Int) -> String {
        var (unit, size) = (0, 1)
        while unit < 3, bytes >= size << 10 { (unit, size) = (unit + 1, size << 10) }
        let name = ["B", "KiB", "MiB", "GiB"][unit]
        let tenths = Int((Double(bytes) / Double(size) * 10).rounded())
        // With one digit after the point, if it is not zero.
        let digit = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
        return "\(tenths / 10)\(digit) \(name)"
    }
}
