import Base

/// What clocks show at one place: the difference from UTC, and when it changes.
///
/// The times of the past are a list; a rule that holds every year follows the last of them.
package struct TimeZoneRule: Equatable, Sendable {
    package struct Transition: Equatable, Sendable {
        /// Seconds since 1970.
        package let from: Int64
        /// Seconds east of UTC from then on.
        package let offset: Int64

        package init(from: Int64, offset: Int64) { (self.from, self.offset) = (from, offset) }
    }

    private let first: Int64
    private let transitions: [Transition]
    private let yearly: YearlyRule?

    /// `first` is the difference before all transitions, which come in the order of time.
    package init(first: Int64 = 0, _ transitions: [Transition] = []) {
        self.init(first: first, transitions, then: nil)
    }

    init(first: Int64, _ transitions: [Transition], then yearly: YearlyRule?) {
        (self.first, self.transitions, self.yearly) = (first, transitions, yearly)
    }

    package static let utc = TimeZoneRule()

    /// Seconds east of UTC at a moment.
    package func offset(at seconds: Int64) -> Int64 {
        if let yearly, seconds >= transitions.last?.from ?? .min {
            return yearly.offset(at: seconds)
        }
        return transitions.last { $0.from <= seconds }?.offset ?? first
    }

    /// The moment at which clocks show this, which is counted as if they showed UTC. Of two such
    /// moments, the earlier; of none, the moment by the former offset.
    package func seconds(local: Int64) -> Int64 {
        // Offsets change less than once a day, and by less than a day.
        let before = local - offset(at: local - 86_400)
        if offset(at: before) == local - before { return before }
        let after = local - offset(at: local + 86_400)
        return offset(at: after) == local - after ? after : before
    }

    /// Whether this can be the name of a zone, and so of its file: words of letters, digits, plus,
    /// minus and underscore between slashes. No such name leads out of a folder.
    package static func isName(_ text: String) -> Bool {
        let words = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return text.utf8.count <= 64 && words.count <= 4
            && words.allSatisfy { word in
                !word.isEmpty && word.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "+") }
            }
    }
}

/// When a place has summer time in any year, as POSIX writes that: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Equatable, Sendable {
    enum Day: Equatable, Sendable {
        /// The weekday, from Sunday as 0, of the first to the fourth or the last week.
        case weekday(Int64, week: Int64, month: Int64)
        /// From 1 to 365; 29 February is never counted.
        case counted(Int64)
        /// From 0 to 365.
        case dayOfYear(Int64)
    }

    struct Change: Equatable, Sendable {
        let day: Day
        /// Seconds after the day begins, by the clock before the change.
        let time: Int64
    }

    struct Summer: Equatable, Sendable {
        let offset: Int64
        let begin: Change
        let end: Change
    }

    let standard: Int64
    let summer: Summer?

    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilTime(secondsSince1970: seconds + standard).year
        let begin = Self.seconds(summer.begin, year) - standard
        let end = Self.seconds(summer.end, year) - summer.offset
        // South of the equator summer goes on over the end of the year.
        let isSummer =
            begin < end ? begin <= seconds && seconds < end : !(end <= seconds && seconds < begin)
        return isSummer ? summer.offset : standard
    }

    private static func seconds(_ change: Change, _ year: Int64) -> Int64 {
        days(change.day, year) * 86_400 + change.time
    }

    private static func days(_ day: Day, _ year: Int64) -> Int64 {
        let newYear = CivilTime.days(to: year, 1, 1)
        switch day {
        case .dayOfYear(let number): return newYear + number
        case .counted(let number):
            let isLeap = CivilTime.days(to: year, 3, 1) - newYear == 60
            return newYear + number - (isLeap && number >= 60 ? 0 : 1)
        case .weekday(let weekday, let week, let month):
            let first = CivilTime.days(to: year, month, 1)
            let next =
                month == 12
                ? CivilTime.days(to: year + 1, 1, 1)
                : CivilTime.days(to: year, month + 1, 1)
            // 1 January 1970 was a Thursday.
            let day = first + (weekday + 7 - (first + 4) % 7) % 7 + (week - 1) * 7
            return day < next ? day : day - 7
        }
    }
}
