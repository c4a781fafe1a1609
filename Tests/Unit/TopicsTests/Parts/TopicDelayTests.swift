import Testing

@testable import Topics

@Suite("When a delayed message is due")
struct TopicDelayTests {
    /// Sunday, 29 November 2026, 12:00 in UTC, 13:00 in Berlin.
    private static let now: Int64 = 1_795_953_600
    private static let midnight = now - 12 * 3_600
    private static let berlin = TimeZoneRule(
        first: 0, [TimeZoneRule.Transition(from: 1_792_890_000, offset: 3_600)])

    private func due(_ text: String, _ zone: TimeZoneRule = .utc) throws(NtfyRefusal) -> Int64 {
        try TopicDelay.due(text, zone: zone, now: Self.now)
    }

    @Test(
        "A moment in seconds since 1970 or by RFC 3339",
        arguments: [
            ("1795953610", 10), (" 1795953610\n", 10), ("1796212800", 259_200),
            ("2026-11-29T12:00:30Z", 30),
            ("2026-11-29t13:30:00.9+01:00", 1_800),
        ])
    func moments(_ text: String, _ seconds: Int64) throws {
        #expect(try due(text) == Self.now + seconds)
    }

    @Test(
        "A length of time",
        arguments: [
            ("30m", 1_800), ("1h30m", 5_400), ("90s", 90), ("1.5h", 5_400), ("10s", 10),
            ("+2h45m10s", 9_910), ("10500ms", 10), ("0.5m", 30), ("72h", 259_200),
            ("30min", 1_800), ("30 min", 1_800), ("2 days", 172_800), ("1d", 86_400),
            ("3D", 259_200),
            ("12 hours", 43_200), ("20 SECS", 20), ("1 minute", 60), ("in 2 hours", 7_200),
            ("in an hour", 3_600), ("1 hour and 30 minutes", 5_400), (" 10m ", 600),
        ])
    func lengths(_ text: String, _ seconds: Int64) throws {
        #expect(try due(text) == Self.now + seconds)
    }

    @Test(
        "English, where the sender's clock shows 12:00",
        arguments: [
            ("10am", 34), ("tomorrow, 9am", 33), ("tomorrow, 10am", 34), ("tuesday 7am", 55),
            ("Tuesday, 7am", 55), ("tue, 7am", 55), ("tues 7 am", 55), ("3pm", 15),
            ("8:30pm", 20.5), ("at 5:30pm", 17.5), ("at 17:30", 17.5), ("17:30:36", 17.51),
            ("at 17", 17), ("today 6pm", 18), ("6pm today", 18), ("tomorrow", 36),
            ("tomorrow at noon", 36), ("midnight", 24), ("today at midnight", 24),
            ("tomorrow midnight", 24), ("next monday", 36), ("monday", 36),
            ("on monday at 12am", 24), ("mon 12pm", 36), ("sunday 3pm", 15), ("12:01", 12.0167),
            ("tomorrow 0:00", 24), ("9 tomorrow", 33), ("noon", 36),
        ] as [(String, Double)])
    func english(_ text: String, _ hours: Double) throws {
        let seconds = Int64((hours * 60).rounded(.down)) * 60
        let due = try due(text)
        #expect(due - Self.midnight - (due % 60) == seconds)
    }

    @Test("English means the sender's clock", arguments: [("9am", 20), ("2pm", 1), ("monday", 24)])
    func zones(_ text: String, _ hours: Int64) throws {
        #expect(try due(text, Self.berlin) == Self.now + hours * 3_600)
    }

    @Test("A clock that is put forward shows the later time, and one put back the earlier")
    func changes() throws {
        // Spring at 2:00, in UTC 1:00, and autumn at 3:00.
        let spring = TimeZoneRule(
            first: 3_600, [TimeZoneRule.Transition(from: 1_806_195_600, offset: 7_200)])
        let before: Int64 = 1_806_192_000
        #expect(try TopicDelay.due("2:30", zone: spring, now: before) == 1_806_195_600 + 1_800)
        #expect(try TopicDelay.due("3:30", zone: spring, now: before) == 1_806_195_600 + 1_800)
        #expect(try TopicDelay.due("1:30", zone: spring, now: before) == 1_806_195_600 - 1_800)
        let autumn = TimeZoneRule(
            first: 7_200, [TimeZoneRule.Transition(from: 1_792_890_000, offset: 3_600)])
        #expect(
            try TopicDelay.due("2:30", zone: autumn, now: 1_792_880_000) == 1_792_890_000 - 1_800)
        #expect(
            try TopicDelay.due("3:30", zone: autumn, now: 1_792_880_000) == 1_792_890_000 + 5_400)
    }

    @Test(
        arguments: [
            "", "0", "now", "soon", "10", "1795953599", "-", "h", "10x", "tomorrow yesterday",
            "25:00",
            "13pm", "0am", "in -9223372036854775808 weeks", "in -1 hour", "at -5", "12:-5", "12:60",
            "12:5", "1:2:3:4", "99999999999999999999", "next", "next 9am",
            "monday tuesday", "9am 10am", "in", "in a", "a", "an hour ago", "last friday", "1h 30",
            "9223372036854775807h", "1e3s", ".s", "1..5h", "2026-11-29", "tonight", "tuesda 9am",
            "999999999999999 days",
            String(repeating: "9am ", count: 30), "tomorrow\u{0}",
        ])
    func noDelays(_ text: String) {
        #expect(throws: NtfyRefusal.badDelay) { try due(text) }
    }

    @Test(
        arguments: [
            "9s", "1795953609", "-10m", "2026-11-29T12:00:09Z", "2026-11-28T12:00:00Z",
            "today 9am", "9999ms", "today",
        ])
    func tooShort(_ text: String) { #expect(throws: NtfyRefusal.shortDelay) { try due(text) } }

    @Test(
        arguments: [
            "72h1s", "4 days", "1796212801", "9223372036854775807", "2026-12-03T00:00:00Z",
            "friday 9am", "next sunday", "next sunday 3pm", "sunday 9am", "wednesday 1pm",
            "1000000000 days",
        ])
    func tooLong(_ text: String) { #expect(throws: NtfyRefusal.longDelay) { try due(text) } }
}
