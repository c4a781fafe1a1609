import Testing
@testable import System

@Suite("Calls posted to a loop")
struct PostTests {
    private func withLoop<Value: Sendable>(
        _ body: (EventLoop) async throws -> Value
    ) async throws -> Value {
        let group = try LoopGroup(count: 1)
        try group.start(name: "test")
        let result: Result<Value, any Error>
        do { result = .success(try await body(group.loops[0])) } catch { result = .failure(error) }
        group.stop()
        #expect(group.join() == [.stopped])
        return try result.get()
    }

    @Test("Calls of several threads arrive once, each thread's in order")
    func posts() async throws {
        // Unchecked: it is used on the thread of one loop.
        final class Received: @unchecked Sendable {
            var last = [Int](repeating: -1, count: 4)
            var isInOrder = true
        }
        let received = Received()
        try await withLoop { loop in
            await withTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        for number in 0..<5_000 {
                            loop.post {
                                if received.last[sender] + 1 != number {
                                    received.isInOrder = false
                                }
                                received.last[sender] = number
                            }
                        }
                    }
                }
            }
            let last = try await loop.perform { received.isInOrder ? received.last : [] }
            #expect(last == [4_999, 4_999, 4_999, 4_999])
        }
    }

    @Test("A waiting loop is woken by each of many single posts")
    func wakeUps() async throws {
        try await withLoop { loop in
            for number in 0..<2_000 {
                let echo = try await loop.perform { number }
                #expect(echo == number)
            }
        }
    }

    @Test("Calls posted before the start are run, calls after the end are refused")
    func beforeAndAfter() throws {
        let loop = try EventLoop()
        let probe = Probe()
        #expect(loop.post { probe.timerFired(1) })
        loop.post {
            loop.stop()
            // Still accepted: the loop ends when nothing is left.
            loop.post { loop.post { probe.timerFired(2) } }
        }
        #expect(loop.run() == .stopped)
        #expect(probe.cookies == [1, 2])
        #expect(!loop.post { probe.timerFired(3) })
    }
}
