import Base

/// How much room the files that come to topics may have: `off`, or a number and a unit.
enum AttachmentRoom {
    static let usual = "5 GB"
    private static let units = ["MB": 20, "GB": 30, "TB": 40]

    /// In bytes; zero for `off`, nil for what is no size.
    static func bytes(_ text: String) -> Int? {
        guard text != "off" else { return 0 }
        let digits = text.utf8.prefix { $0.isDigit }
        let unit = text.utf8.dropFirst(digits.count).drop { $0 == UInt8(ascii: " ") }
        guard let shift = units[String(Substring(unit))], let number = Int(Substring(digits)),
            number > 0
        else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << shift)
        return isTooLarge ? nil : bytes
    }
}
