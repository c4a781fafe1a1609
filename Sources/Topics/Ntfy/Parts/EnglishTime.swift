import Base

/// A day, a time of day, or both, in the English of ntfy's documents: `tomorrow, 9am`,
/// `next monday`, `at 17:30`.
struct EnglishTime: Equatable {
    private enum Day: Equatable {
        /// Days from today on.
        case after(Int64)
        /// From Sunday as 0. The next one is never today.
        case weekday(Int64, isNext: Bool)
    }

    /// What a clock shows, in seconds after midnight.
    private struct Clock: Equatable {
        let seconds: Int64
        /// A number alone, which may mean anything.
        var isBare = false
    }

    private var day: Day?
    private var clock: Clock?
    private var hasAt = false

    private static let mostWords = 16
    private static let weekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    /// The words and numbers of a text in small letters: `5:30pm,` has two.
    static func words(_ text: String) -> [Substring] {
        text.split { $0 == "," || $0.isWhitespace }.flatMap { piece in
            let number = piece.prefix { "0"..."9" ~= $0 || $0 == ":" }
            return [number, piece.dropFirst(number.count)].filter { !$0.isEmpty }
        }
    }

    /// Nil for words that say something else, or too little.
    init?(_ words: [Substring]) {
        guard words.count <= Self.mostWords else { return nil }
        var rest = words[...]
        while !rest.isEmpty {
            guard takeDay(&rest) || takeTime(&rest) || takeFiller(&rest) else { return nil }
        }
        guard day != nil || clock != nil else { return nil }
        if clock?.isBare == true, day == nil, !hasAt { return nil }
    }
}

/// How it is read.
extension EnglishTime {
    private mutating func takeFiller(_ rest: inout ArraySlice<Substring>) -> Bool {
        guard let word = rest.popFirst() else { return false }
        if word == "at" { hasAt = true }
        return word == "at" || word == "on"
    }

    private mutating func takeDay(_ rest: inout ArraySlice<Substring>) -> Bool {
        guard day == nil, let word = rest.first else { return false }
        let isNext = word == "next"
        switch word {
        case "today": day = .after(0)
        case "tomorrow": day = .after(1)
        default:
            guard let name = isNext ? rest.dropFirst().first : word,
                let number = Self.weekday(name)
            else { return false }
            day = .weekday(number, isNext: isNext)
            if isNext { rest.removeFirst() }
        }
        rest.removeFirst()
        return true
    }

    /// By the name or its beginning.
    private static func weekday(_ word: Substring) -> Int64? {
        guard word.count >= 3 else { return nil }
        return weekdays.firstIndex { $0 == word || word.count <= 5 && $0.hasPrefix(word) }
            .map(Int64.init)
    }

    private mutating func takeTime(_ rest: inout ArraySlice<Substring>) -> Bool {
        guard let word = rest.first else { return false }
        switch word {
        case "noon": return set(Clock(seconds: 12 * 3_600), &rest)
        case "midnight": return set(Clock(seconds: 0), &rest)
        default: break
        }
        let fields = word.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = fields.compactMap { field in
            field.utf8.allSatisfy(\.isDigit) ? Int64(field) : nil
        }
        guard (1...3).contains(fields.count), numbers.count == fields.count,
            fields.dropFirst().allSatisfy({ $0.count == 2 }),
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return false }
        let minutes = numbers.dropFirst().reduce((0, 60)) { ($0.0 + $1 * $0.1, 1) }.0
        return set(hour: numbers[0], minutes, isBare: numbers.count == 1, &rest)
    }

    private mutating func set(
        hour: Int64, _ seconds: Int64, isBare: Bool, _ rest: inout ArraySlice<Substring>
    ) -> Bool {
        let half = rest.dropFirst().first
        guard half == "am" || half == "pm" else {
            guard hour < 24 else { return false }
            return set(Clock(seconds: hour * 3_600 + seconds, isBare: isBare), &rest)
        }
        guard (1...12).contains(hour) else { return false }
        rest.removeFirst()
        let afterNoon: Int64 = half == "pm" ? 12 : 0
        return set(Clock(seconds: (hour % 12 + afterNoon) * 3_600 + seconds), &rest)
    }

    private mutating func set(_ clock: Clock, _ rest: inout ArraySlice<Substring>) -> Bool {
        guard self.clock == nil else { return false }
        self.clock = clock
        rest.removeFirst()
        return true
    }
}

/// What it means.
extension EnglishTime {
    /// Seconds since 1970. A time without a day is the next such time.
    func moment(_ zone: TimeZoneRule, _ now: Int64) -> Int64 {
        let local = now + zone.offset(at: now)
        let (today, shown) = (local / 86_400, local % 86_400)
        let time = clock?.seconds
        func moment(_ days: Int64) -> Int64 {
            zone.seconds(local: (today + days) * 86_400 + (time ?? shown))
        }
        switch day {
        case nil: return moment(moment(0) > now ? 0 : 1)
        // The midnight of a day is its end, and of all others their beginning.
        case .after(0) where time == 0: return moment(1)
        case .after(let days): return moment(days)
        case .weekday(let weekday, let isNext):
            // 1 January 1970 was a Thursday.
            let days = (weekday + 7 - (today + 4) % 7) % 7
            let isToday = days == 0 && !isNext && time != nil && moment(0) > now
            return moment(days == 0 && !isToday ? 7 : days)
        }
    }
}

/// Lengths of time.
extension EnglishTime {
    private static let units: [(names: Set<Substring>, seconds: Int64)] = [
        (["s", "sec", "secs", "second", "seconds"], 1),
        (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hr", "hrs", "hour", "hours"], 3_600), (["d", "day", "days"], 86_400),
    ]

    /// Seconds of a length such as `2 days`, `in an hour` or `1 hour and 30 minutes`; nil for
    /// anything else.
    static func span(_ words: [Substring]) -> Int64? {
        guard words.count <= mostWords else { return nil }
        var rest = words.filter { $0 != "and" }[...]
        if rest.first == "in" { rest.removeFirst() }
        var total: Int64 = 0
        repeat {
            guard let amount = rest.popFirst(), let unit = rest.popFirst(),
                let number = amount.hasPrefix("a")
                    ? ["a", "an"].contains(amount) ? 1 : nil
                    : Int64(amount), 0...1_000_000_000 ~= number,
                let seconds = units.first(where: { $0.names.contains(unit) })?.seconds
            else { return nil }
            total += number * seconds
        } while !rest.isEmpty
        return total
    }
}
