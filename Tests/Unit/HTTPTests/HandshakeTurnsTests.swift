import TestSupport
import Testing

@testable import HTTP

@Suite("Turns of handshakes")
struct HandshakeTurnsTests {
    private static let cost = Duration.microseconds(450)

    /// Numbers that have left, whatever network they are of.
    private final class Gone { var numbers: Set<Int> = [] }

    private func turns(waiting: Int = 100, _ gone: Gone = Gone()) -> HandshakeTurns<Int> {
        var limits = HandshakeLimits()
        limits.waiting = waiting
        return HandshakeTurns(limits) { !gone.numbers.contains($0) }
    }

    /// What goes on in the next turn.
    private func turn(_ turns: inout HandshakeTurns<Int>) -> [Int] {
        turns.beginTurn()
        var run: [Int] = []
        while let (handshake, network) = turns.next() {
            run.append(handshake)
            turns.spend(Self.cost, for: network)
        }
        return run
    }

    @Test("One network gets its share of a turn, and what is over waits for the next, oldest first")
    func oneNetwork() {
        var turns = turns()
        #expect(turns.hasRoom(for: 1))
        turns.spend(Self.cost, for: 1)
        #expect(turns.hasRoom(for: 1))
        turns.spend(Self.cost, for: 1)
        #expect(!turns.hasRoom(for: 1) && turns.hasRoom(for: 2))
        for number in 0..<5 { #expect(turns.wait(number, of: 1) == nil) }
        // Nobody goes past those that wait.
        #expect(!turns.hasRoom(for: 2))
        #expect(turn(&turns) == [0, 1] && turn(&turns) == [2, 3] && turn(&turns) == [4])
        turns.beginTurn()
        #expect(turns.hasRoom(for: 1) && turns.next() == nil)
    }

    @Test("What has begun has every second turn, oldest first, and is given up last")
    func begun() {
        let gone = Gone()
        var turns = turns(waiting: 6, gone)
        for number in 0..<3 { _ = turns.wait(number, of: 1) }
        for number in 10..<13 { #expect(turns.wait(number, of: 1, hasBegun: true) == nil) }
        #expect(turns.wait(13, of: 1, hasBegun: true) == 2)
        gone.numbers.insert(11)
        turns.leave(1)
        #expect(turn(&turns) == [10, 0] && turn(&turns) == [12, 1] && turn(&turns) == [13])
    }

    @Test(
        "Turns are longer after many rests in time, and short at once after a late one, or with many unfinished"
    )
    func calm() {
        var turns = turns(waiting: 1_000)
        for number in 0..<1_000 { _ = turns.wait(number, of: 1) }
        func rest(_ count: Int, late: Duration = .microseconds(100)) -> Int {
            for _ in 0..<count { turns.rested(late: late) }
            return turn(&turns).count
        }
        #expect(rest(49) == 2 && rest(1) == 9)
        turns.unfinished = 1_024
        #expect(rest(1) == 2)
        turns.unfinished = 1_023
        #expect(rest(1, late: .microseconds(499)) == 9)
        #expect(rest(1, late: .microseconds(500)) == 2 && rest(49) == 2 && rest(1) == 9)
    }

    @Test("A newcomer of another network waits for one turn, however many wait")
    func otherNetwork() {
        var turns = turns()
        for number in 0..<50 { _ = turns.wait(number, of: 1) }
        _ = turns.wait(100, of: 2)
        #expect(turn(&turns) == [0, 100, 1])
    }

    @Test("All together get a share, and networks take turns")
    func manyNetworks() {
        var turns = turns()
        for number in 0..<12 { _ = turns.wait(number, of: UInt64(number % 4)) }
        let first = turn(&turns)
        #expect(first == [0, 1, 2])
        #expect(turn(&turns) == [3, 4, 5])
        var rest: [Int] = []
        while turns.count > 0 { rest += turn(&turns) }
        #expect(rest.sorted() == Array(6..<12))
    }

    @Test("If too many wait, the newest of the network with most of them is given up")
    func tooMany() {
        let gone = Gone()
        var turns = turns(waiting: 4, gone)
        for number in 0..<3 { #expect(turns.wait(number, of: 1) == nil) }
        #expect(turns.wait(10, of: 2) == nil)
        #expect(turns.wait(3, of: 1) == 3)
        // Two of each, so the newcomer is the newest of a network with most.
        #expect(turns.wait(11, of: 2) == 2)
        #expect(turns.wait(12, of: 2) == 12)
        #expect([1, 11].contains(turns.wait(20, of: 3)))
        gone.numbers.insert(0)
        turns.leave(1)
        turns.leave(9)
        #expect(turns.count == 3)
    }

    @Test("Nothing is lost or done twice, and a network never exceeds its share by more than one")
    func random() {
        var generator = SeededGenerator(seed: 5)
        let gone = Gone()
        var turns = turns(waiting: 200, gone)
        var waiting: Set<Int> = []
        for number in 0..<20_000 {
            let network = UInt64(number % 6)
            waiting.insert(number)
            let hasBegun = Bool.random(using: &generator)
            if let givenUp = turns.wait(number, of: network, hasBegun: hasBegun) {
                #expect(waiting.remove(givenUp) != nil)
            }
            while Int.random(in: 0..<3, using: &generator) == 0,
                let leaving = waiting.randomElement(using: &generator)
            {
                waiting.remove(leaving)
                gone.numbers.insert(leaving)
                turns.leave(UInt64(leaving % 6))
            }
            #expect(turns.count == waiting.count && turns.count <= 200)
            guard number.isMultiple(of: 7) else { continue }
            let run = turn(&turns)
            #expect((min(1, waiting.count)...3).contains(run.count))
            for handshake in run { #expect(waiting.remove(handshake) != nil) }
        }
        while turns.count > 0 {
            for handshake in turn(&turns) { #expect(waiting.remove(handshake) != nil) }
        }
        #expect(waiting.isEmpty)
    }
}
