import Base

extension TimeZoneRule {
    /// Nothing in a system's files comes near this.
    package static let longestFile = 64 << 10

    /// What a file of a zone says, as systems keep them in `/usr/share/zoneinfo` (RFC 9636). Nil for
    /// anything else, and for zones that count leap seconds.
    package init?(file bytes: [UInt8]) {
        guard bytes.count <= Self.longestFile, let old = TimeZoneFile(bytes, at: 0, width: 4)
        else { return nil }
        guard old.version > 0 else {
            guard let rule = old.rule(then: nil) else { return nil }
            self = rule
            return
        }
        // From version 2 on, the same follows with more bits, and then the rule for later years.
        guard let block = TimeZoneFile(bytes, at: old.end, width: 8),
            bytes.count >= block.end + 2, bytes[block.end] == UInt8(ascii: "\n"),
            bytes.last == UInt8(ascii: "\n")
        else { return nil }
        let text = bytes[block.end...].dropFirst().dropLast()
        let yearly = YearlyRuleReader.rule(text)
        guard text.isEmpty || yearly != nil, let rule = block.rule(then: yearly) else { return nil }
        self = rule
    }
}

/// One data block of a file with its header, whose lengths were checked.
private struct TimeZoneFile {
    private let bytes: [UInt8]
    /// How many bytes a time has.
    private let width: Int
    private let times: Int
    private let types: Int
    /// Where the times begin.
    private let start: Int
    let version: UInt8
    /// Where the block ends.
    let end: Int

    /// RFC 9636 section 3.1.
    init?(_ bytes: [UInt8], at place: Int, width: Int) {
        guard bytes.count - place >= 44,
            bytes.span.extracting(place..<place + 4).elementsEqual("TZif")
        else { return nil }
        let counts = (0..<6).map { Int(bytes.span.halfWord(at: place + 20 + $0 * 4)) }
        (version, times, types) = (bytes[place + 4], counts[3], counts[4])
        let leapSeconds = counts[2]
        (self.bytes, self.width, start) = (bytes, width, place + 44)
        end = start + times * (width + 1) + types * 6 + counts[5] + counts[0] + counts[1]
        guard leapSeconds == 0, types > 0, end <= bytes.count else { return nil }
    }

    /// RFC 9636 section 3.2. Nil if the times are in no order, or if a type does not exist.
    func rule(then yearly: YearlyRule?) -> TimeZoneRule? {
        let firstType = start + times * (width + 1)
        let offsets = (0..<types).map {
            Int64(Int32(bitPattern: bytes.span.halfWord(at: firstType + $0 * 6)))
        }
        guard offsets.allSatisfy({ abs($0) <= 26 * 3_600 }) else { return nil }
        var transitions: [TimeZoneRule.Transition] = []
        for index in 0..<times {
            let type = Int(bytes[start + times * width + index])
            let from = time(start + index * width)
            guard type < types, from > transitions.last?.from ?? .min else { return nil }
            transitions.append(TimeZoneRule.Transition(from: from, offset: offsets[type]))
        }
        return TimeZoneRule(first: offsets[0], transitions, then: yearly)
    }

    private func time(_ place: Int) -> Int64 {
        width == 8
            ? Int64(bitPattern: bytes.span.word(at: place))
            : Int64(Int32(bitPattern: bytes.span.halfWord(at: place)))
    }
}

/// Reads the form in which POSIX writes a zone (RFC 9636 section 3.3).
struct YearlyRuleReader {
    private var rest: ArraySlice<UInt8>

    /// Nil for anything else.
    static func rule(_ text: ArraySlice<UInt8>) -> YearlyRule? {
        var reader = YearlyRuleReader(rest: text)
        return reader.rule()
    }

    private mutating func rule() -> YearlyRule? {
        guard name(), let west = time(24) else { return nil }
        guard !rest.isEmpty else { return YearlyRule(standard: -west, summer: nil) }
        guard name() else { return nil }
        // It is said the other way around: what has to be added to get UTC.
        let offset = rest.first == UInt8(ascii: ",") ? 3_600 - west : time(24).map { -$0 }
        guard let offset, let begin = change(), let end = change(), rest.isEmpty else { return nil }
        return YearlyRule(
            standard: -west,
            summer: YearlyRule.Summer(offset: offset, begin: begin, end: end))
    }

    private mutating func change() -> YearlyRule.Change? {
        guard takes(","), let day = day() else { return nil }
        guard takes("/") else { return YearlyRule.Change(day: day, time: 2 * 3_600) }
        return time(167).map { YearlyRule.Change(day: day, time: $0) }
    }

    private mutating func day() -> YearlyRule.Day? {
        if takes("J") { return number(1...365).map { .counted($0) } }
        guard takes("M") else { return number(0...365).map { .dayOfYear($0) } }
        guard let month = number(1...12), takes("."), let week = number(1...5), takes("."),
            let weekday = number(0...6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }

    private mutating func name() -> Bool {
        guard takes("<") else {
            let letters = rest.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0.lowercased }
            rest = rest.dropFirst(letters.count)
            return letters.count >= 3
        }
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
        defer { rest = rest[(end + 1)...] }
        return end - rest.startIndex >= 3
    }

    /// Hours with or without minutes and seconds, in seconds.
    private mutating func time(_ most: Int64) -> Int64? {
        let isNegative = takes("-")
        if !isNegative { _ = takes("+") }
        guard var time = number(0...most).map({ $0 * 3_600 }) else { return nil }
        for unit in [60, 1] as [Int64] where takes(":") {
            guard let part = number(0...59) else { return nil }
            time += part * unit
        }
        return isNegative ? -time : time
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = Array(rest.prefix(while: \.isDigit))
        rest = rest.dropFirst(digits.count)
        guard let number = Int64(decimalDigits: digits.span), range ~= number else { return nil }
        return number
    }

    private mutating func takes(_ letter: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
