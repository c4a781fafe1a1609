import Base

/// When a delayed message is due.
package enum TopicDelay {
    package static let shortest: Int64 = 10
    package static let longest: Int64 = 3 * 86_400

    private static let longestText = 100

    /// Seconds since 1970, from what a sender wrote: a moment as seconds since 1970 or by RFC 3339,
    /// a length of time, or English. `zone` is where the sender's clock is.
    package static func due(
        _ text: String, zone: TimeZoneRule, now: Int64
    ) throws(NtfyRefusal) -> Int64 {
        guard text.utf8.count <= longestText,
            let due = moment(text[...].trimmed.lowercased(), zone, now)
        else { throw .badDelay }
        guard due >= now + shortest else { throw .shortDelay }
        guard due <= now + longest else { throw .longDelay }
        return due
    }

    private static func moment(_ text: String, _ zone: TimeZoneRule, _ now: Int64) -> Int64? {
        if text.utf8.allSatisfy(\.isDigit) {
            // A smaller number is more likely a mistake than a moment of the past.
            return Int64(text).flatMap { $0 >= now ? $0 : nil }
        }
        if let seconds = GoDuration.seconds(text) { return sum(now, seconds) }
        if let milliseconds = CivilTime.milliseconds(rfc3339: text) { return milliseconds / 1_000 }
        let words = EnglishTime.words(text)
        if let seconds = EnglishTime.span(words) { return sum(now, seconds) }
        guard let time = EnglishTime(words) else { return nil }
        return time.moment(zone, now)
    }

    private static func sum(_ now: Int64, _ seconds: Int64) -> Int64 {
        let (sum, hasOverflow) = now.addingReportingOverflow(seconds)
        return hasOverflow ? .max : sum
    }
}
