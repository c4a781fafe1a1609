import Testing

@testable import Base

@Suite("Pauses between attempts")
struct BackoffTests {
    @Test("Each pause is twice the one before, up to the longest; a success begins anew")
    func growth() {
        var backoff = Backoff(first: .seconds(5), longest: .seconds(300))
        let pauses = (0..<8).map { _ in backoff.next() }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
        #expect(backoff.pause(after: 2) == .seconds(20))
        #expect(backoff.pause(after: .max) == .seconds(300))
        backoff.reset()
        #expect(backoff.next() == .seconds(5))
    }

    @Test("Of a client's pause, up to five minutes, half is random")
    func chance() {
        var (least, most) = (Backoff.ofConnections, Backoff.ofConnections)
        let pauses = (0..<12).map { _ in (least.next(chance: 0), most.next(chance: 1)) }
        #expect(pauses[0] == (.milliseconds(500), .seconds(1)))
        #expect(pauses[3] == (.seconds(4), .seconds(8)))
        #expect(pauses[11] == (.seconds(150), .seconds(300)))
        #expect(least.next(chance: 0, atMost: .seconds(1)) == .milliseconds(500))
    }

    @Test("A server may ask for a longer pause, within a limit; a success resets the pause")
    func asked() {
        var backoff = Backoff.ofConnections
        #expect(backoff.next(chance: 0, atLeast: .seconds(30)) == .seconds(30))
        #expect(backoff.next(chance: 0, atLeast: .seconds(90_000)) == .seconds(3_600))
        backoff.reset()
        #expect(backoff.next(chance: 0) == .milliseconds(500))
    }
}
