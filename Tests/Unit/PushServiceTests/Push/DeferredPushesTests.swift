import System
import Testing

@testable import PushService

@Suite("Pushes that are put off")
struct DeferredPushesTests {
    private final class Diary {
        var numbers: [Int] = []
    }

    @Test("They are handled in order, some in each turn, and free their memory")
    func order() throws {
        let loop = try EventLoop()
        let later = DeferredPushes(on: loop, perTurn: 8)
        let diary = Diary()
        // Sixteen are always waiting.
        func push(_ number: Int) {
            later.add {
                diary.numbers.append(number)
                if number < 30_000 { push(number + 16) }
            }
        }
        for number in 0..<16 { push(number) }
        for turn in 1...3_000 {
            later.timerFired(0)
            #expect(diary.numbers.count == 8 * turn)
        }
        #expect(diary.numbers == Array(0..<24_000))
        #expect(later.capacity < 256)
        while diary.numbers.count < 30_000 { later.timerFired(0) }
        later.timerFired(0)
        later.timerFired(0)
        #expect(diary.numbers == Array(0..<30_016))
        // Releases its timers.
        loop.stop()
        _ = loop.run()
    }

    @Test("A push added during a turn waits for another turn", arguments: [1, 5, 20])
    func share(waiting: Int) throws {
        let loop = try EventLoop()
        let later = DeferredPushes(on: loop, perTurn: 8)
        var turns: [Instant: Int] = [:]
        var count = 0
        func push() {
            later.add {
                turns[loop.now, default: 0] += 1
                count += 1
                if count + waiting <= 1_000 { push() }
                if later.isEmpty { loop.stop() }
            }
        }
        for _ in 0..<waiting { push() }
        _ = loop.run()
        #expect(count == 1_000)
        #expect(turns.values.allSatisfy { $0 <= min(waiting, 8) })
        #expect(turns.count <= 1_000 / min(waiting, 8) + 1)
    }
}
