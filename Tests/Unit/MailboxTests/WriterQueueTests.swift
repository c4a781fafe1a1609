import Testing

@testable import Mailbox

@Suite("What the writer waits for")
struct WriterQueueTests {
    @Test("Only the last eight rounds count, and only soon after them")
    func rounds() {
        var rounds = RecentRounds()
        #expect(rounds.largest(at: 0) == 0)
        rounds.add(64, at: 10)
        for round in 1...7 { rounds.add(round, at: 10) }
        #expect(rounds.largest(at: 15) == 64)
        rounds.add(3, at: 15)
        #expect(rounds.largest(at: 15) == 7)
        #expect(rounds.largest(at: 21) == 0)
        rounds.add(2, at: 21)
        #expect(rounds.largest(at: 21) == 2)
    }
}
