import Testing

@testable import System

@Suite("The clock of the store")
struct LastingClockTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sameBoot: Bool
        let sinceBoot: Int64
        let wall: Int64
        let elapsed: Int64
    }

    private static let day: Int64 = 86_400_000

    @Test(
        "Within one boot only time moves the clock; across boots the time of day moves it forward",
        arguments: [
            Case(
                testDescription: "time passes", sameBoot: true, sinceBoot: 500, wall: 500,
                elapsed: 500),
            Case(
                testDescription: "set ten years ahead", sameBoot: true, sinceBoot: 500,
                wall: 3_650 * day, elapsed: 500),
            Case(
                testDescription: "set back a day", sameBoot: true, sinceBoot: 500, wall: -day,
                elapsed: 500),
            Case(
                testDescription: "started anew", sameBoot: false, sinceBoot: -9_000, wall: day,
                elapsed: day),
            Case(
                testDescription: "started anew without a clock", sameBoot: false,
                sinceBoot: -9_000, wall: -1_000 * day, elapsed: 0),
        ])
    func elapsed(test: Case) {
        let first = ClockReading(boot: [1], sinceBoot: 10_000, wall: 1_000_000 * Self.day)
        let later = ClockReading(
            boot: test.sameBoot ? [1] : [2], sinceBoot: first.sinceBoot + test.sinceBoot,
            wall: first.wall + test.wall)
        let anchor = LastingClock.Anchor(milliseconds: 77, reading: first)
        let clock = LastingClock(after: anchor, at: later)
        #expect(clock.milliseconds(at: later) == 77 + test.elapsed)
        var next = later
        next.sinceBoot += 5
        next.wall -= Self.day
        #expect(clock.milliseconds(at: next) == 77 + test.elapsed + 5)
    }

    @Test("A boot that cannot be identified counts as a different one")
    func unknownBoot() {
        let first = ClockReading(boot: nil, sinceBoot: 10, wall: 1_000)
        let later = ClockReading(boot: nil, sinceBoot: 5_000, wall: 1_010)
        #expect(LastingClock.elapsed(from: first, to: later) == 10)
    }
}
