import TestSupport
import Testing
@testable import System

@Suite("Timers")
struct TimerQueueTests {
    private func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test("Every timer fires once, in order, never early", arguments: 0..<20 as Range<UInt64>)
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue<Int>()
        var model: [Int: Int64] = [:]
        var ids: [Int: TimerID] = [:]
        var now: Int64 = 0
        for step in 0..<3_000 {
            let deadline = now + Int64.random(in: 0...500, using: &random)
            switch (
                Int.random(in: 0..<10, using: &random), model.keys.randomElement(using: &random)
            ) {
            case (0..<4, _), (_, nil):
                ids[step] = queue.schedule(step, at: at(deadline))
                model[step] = deadline
            case (4..<7, let key?):
                #expect(ids[key].map { queue.reschedule($0, at: at(deadline)) } == true)
                model[key] = deadline
            case (7, let key?):
                #expect(ids[key].flatMap { queue.cancel($0) } == key)
                model[key] = nil
            case (_, .some):
                now += Int64.random(in: 0...200, using: &random)
                expectDue(&queue, &model, now)
            }
            #expect(queue.count == model.count)
            // Never later than the first deadline, or the loop would oversleep.
            #expect(
                queue.earliest.map { $0.nanoseconds <= model.values.min() ?? .max } ?? model.isEmpty
            )
        }
        expectDue(&queue, &model, .max)
        #expect(model.isEmpty && queue.earliest == nil)
        let survivors = ids.values.filter { queue.reschedule($0, at: at(0)) }
        #expect(survivors.isEmpty)
    }

    private func expectDue(
        _ queue: inout TimerQueue<Int>, _ model: inout [Int: Int64], _ now: Int64
    ) {
        var last = Int64.min
        while let key = queue.popDue(at(now)) {
            let deadline = model.removeValue(forKey: key)
            #expect(deadline.map { $0 <= now && $0 >= last } == true)
            last = deadline ?? last
        }
        #expect(model.values.allSatisfy { $0 > now })
    }

    @Test("A timer that fired or was cancelled cannot be moved, even if its slot is reused")
    func generations() {
        var queue = TimerQueue<String>()
        let first = queue.schedule("first", at: at(10))
        #expect(queue.cancel(first) == "first")
        let second = queue.schedule("second", at: at(20))
        #expect(first.slot == second.slot)
        #expect(queue.cancel(first) == nil)
        #expect(queue.reschedule(first, at: at(1)) == false)
        #expect(queue.popDue(at(19)) == nil)
        #expect(queue.popDue(at(20)) == "second")
        #expect(queue.reschedule(second, at: at(30)) == false)
    }

    @Test("A cancelled timer releases its payload")
    func released() {
        final class Payload {}
        var queue = TimerQueue<Payload>()
        var payload: Payload? = Payload()
        weak let held = payload
        let id = queue.schedule(payload ?? Payload(), at: at(10))
        payload = nil
        #expect(held != nil)
        _ = queue.cancel(id)
        #expect(held == nil)
    }

    @Test("A hundred thousand timers that are moved again and again stay in order")
    func putOff() {
        var queue = TimerQueue<Int>()
        let ids = (0..<100_000).map { queue.schedule($0, at: at(Int64($0))) }
        for round in 1...5 {
            for (index, id) in ids.enumerated() {
                #expect(queue.reschedule(id, at: at(Int64(index + round * 1_000_000))) == true)
            }
        }
        // Nothing was moved so far.
        #expect(queue.earliest == at(0))
        #expect(queue.popDue(at(4_999_999)) == nil)
        #expect(queue.earliest == at(5_000_000))
        let order = (0..<100_000).map { queue.popDue(at(5_000_000 + $0)) }
        #expect(order == Array(0..<100_000))
    }

    @Test(
        "An interval is limited so that it cannot overflow a clock",
        arguments: [
            (Duration.zero, 0), (.seconds(-5), 0), (.nanoseconds(1), 1),
            (.milliseconds(1_500), 1_500_000_000), (.microseconds(-1), 0),
            (.seconds(Int64.max), 100 * 365 * 86_400 * 1_000_000_000),
        ] as [(Duration, Int64)])
    func interval(duration: Duration, nanoseconds: Int64) {
        #expect(Interval(duration).nanoseconds == nanoseconds)
    }

    @Test("The boot clock is not behind the monotonic one")
    func bootClock() {
        let monotonic = Instant.now
        #expect(Interval(BootClock.now).nanoseconds >= monotonic.nanoseconds)
    }
}
