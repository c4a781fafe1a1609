import Testing

@testable import Base

@Suite("So much at once, and then so much a second")
struct PaceTests {
    private static let limit = PaceLimit(atOnce: 3, perSecond: 10)

    @Test("What is asked beyond that waits; all of it counts")
    func spending() {
        var pace = Pace()
        #expect(pace.spend(3, Self.limit, at: 1_000) == nil)
        #expect(pace.spend(1, Self.limit, at: 1_000) == 100_000_000)
        #expect(pace.spend(2, Self.limit, at: 100_001_000) == 200_000_000)
        #expect(pace.spend(3, Self.limit, at: 1_000_000_000) == nil)
    }

    @Test("One that would wait for too long does not count")
    func patience() {
        var pace = Pace()
        func delays(_ count: Int, at now: Duration, _ patience: Duration) -> [Duration?] {
            (0..<count).map { _ in pace.delay(Self.limit, at: now, patience: patience) }
        }
        let (none, tenth) = (Duration.zero, Duration.milliseconds(100))
        #expect(delays(5, at: .seconds(7), tenth) == [none, none, none, tenth, nil])
        #expect(delays(2, at: .seconds(7) + tenth, .zero) == [nil, nil])
        #expect(delays(2, at: .seconds(7) + tenth * 2, .zero) == [none, nil])
        #expect(!pace.isOver(at: .seconds(7) + tenth * 4) && pace.isOver(at: .seconds(8)))
    }
}
