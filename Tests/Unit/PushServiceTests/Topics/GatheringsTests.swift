import Testing

@testable import PushService

@Suite("Who waits for the same thing")
struct GatheringsTests {
    private final class Waiter {}

    @Test("The first of a thing and the last are told apart from the others")
    func ends() {
        var waiting = Gatherings<Int, Waiter>()
        let (one, two, other) = (Waiter(), Waiter(), Waiter())
        let areFirst = [(one, 1), (two, 1), (other, 2)].map { waiting.add($0, to: $1) }
        #expect(areFirst == [true, false, true])
        #expect(waiting.all.count == 3 && waiting.keys.sorted() == [1, 2])
        let areLast = [other, one, two, two].map { waiting.remove($0, from: 1) }
        #expect(areLast == [false, false, true, false])
        #expect(!waiting.has(1) && waiting.members(of: 1).isEmpty && waiting.has(2))
        #expect(waiting.members(of: 2).first === other)
    }

    @Test("That many leave takes no longer for each of them", .timeLimit(.minutes(1)))
    func many() {
        var waiting = Gatherings<Int, Waiter>()
        for _ in 0..<100_000 { _ = waiting.add(Waiter(), to: 1) }
        let all = waiting.members(of: 1)
        #expect(all.count == 100_000)
        for waiter in all.reversed() { _ = waiting.remove(waiter, from: 1) }
        #expect(waiting.isEmpty)
    }
}
