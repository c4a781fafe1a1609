import Testing

@testable import bellwire

@Suite("A server that moves its store and does not answer")
struct MoveSilenceTests {
    private var silence = MoveSilence(at: 0)

    @Test("Nobody waits for a server that has ended and is not started again")
    mutating func ended() {
        silence.heard(at: 1_000)
        let verdicts = [2_000, 21_000, 21_001].map { silence.verdict(isUsed: false, at: $0) }
        #expect(verdicts == [.wait, .wait, .ended])
    }

    @Test("One that was started again has its time, and so has one that cannot be seen")
    mutating func started() {
        silence.heard(at: 1_000)
        for isUsed in [true, nil] {
            let verdict = silence.verdict(isUsed: isUsed, at: 100_000)
            #expect(verdict == .wait)
        }
        let last = silence.verdict(isUsed: true, at: 121_001)
        #expect(last == .silent)
        silence.heard(at: 121_002)
        let heard = silence.verdict(isUsed: false, at: 121_003)
        #expect(heard == .wait)
    }
}
