import Testing

@testable import Desktop

@Suite("Waits between attempts to connect")
struct LinkBackoffTests {
    @Test("Each wait doubles, up to five minutes, and half of it is random")
    func growth() {
        var (least, most) = (LinkBackoff(), LinkBackoff())
        let waits = (0..<12).map { _ in (least.next(chance: 0), most.next(chance: 1)) }
        #expect(waits[0] == (.milliseconds(500), .seconds(1)))
        #expect(waits[3] == (.seconds(4), .seconds(8)))
        #expect(waits[11] == (.seconds(150), .seconds(300)))
    }

    @Test("A server may ask for a longer wait, within a limit; a success resets the wait")
    func asked() {
        var backoff = LinkBackoff()
        #expect(backoff.next(chance: 0, atLeast: .seconds(30)) == .seconds(30))
        #expect(backoff.next(chance: 0, atLeast: .seconds(90_000)) == .seconds(3_600))
        backoff.reset()
        #expect(backoff.next(chance: 0) == .milliseconds(500))
    }
}
