import Testing

@testable import Desktop

@Suite("When pictures are asked for")
struct PictureTurnsTests {
    private typealias Turns = PictureTurns<Int>

    private func begun(_ turns: inout Turns, at now: Duration) -> [Turns.Turn] {
        var found: [Turns.Turn] = []
        while let turn = turns.next(at: now) { found.append(turn) }
        return found
    }

    @Test("A few are asked for at once, the others in their order, and too many not at all")
    func order() {
        var turns = Turns()
        for number in 0..<Turns.waitingLimit { #expect(turns.add(number) == true) }
        #expect(turns.add(-1) == false)
        var order: [Int] = []
        var running = begun(&turns, at: .zero)
        while !running.isEmpty {
            #expect(running.count <= Turns.atOnce && turns.nextTime == nil)
            order.append(running.removeFirst().request)
            turns.ended()
            running += begun(&turns, at: .zero)
        }
        #expect(order == Array(0..<Turns.waitingLimit))
    }

    @Test("A server that is too busy is asked again a few times, later each time, and then no more")
    func busy() {
        var turns = Turns()
        #expect(turns.add(1) == true)
        var (now, times) = (Duration.zero, [Duration]())
        while let turn = turns.next(at: now) {
            times.append(now)
            guard turns.wasRefused(turn, for: nil, at: now, chance: 0.5) else { break }
            let next = turns.nextTime ?? .zero
            #expect(turns.next(at: next - .milliseconds(1)) == nil)
            now = next
        }
        #expect(times == [0, 3, 9, 21].map { .seconds($0) })
        #expect(turns.nextTime == nil && turns.next(at: .seconds(9_999)) == nil)
    }

    @Test("A server that says when is not asked before, and others go on meanwhile")
    func retryAfter() {
        var turns = Turns()
        for number in 1...3 { #expect(turns.add(number) == true) }
        let first = begun(&turns, at: .zero)
        #expect(first.map(\.request) == [1, 2])
        #expect(turns.wasRefused(first[0], for: .seconds(100), at: .zero, chance: 0) == true)
        #expect(turns.next(at: .zero)?.request == 3)
        turns.ended()
        #expect(turns.nextTime == .seconds(100))
        #expect(turns.next(at: .seconds(99)) == nil)
        #expect(turns.next(at: .seconds(100))?.request == 1)
        // It is too old when it may come.
        #expect(turns.wasRefused(first[1], for: .seconds(301), at: .zero, chance: 0) == false)
    }
}
