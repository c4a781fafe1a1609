import Foundation
import Testing

@testable import Reactor

@Suite("Tasks on a loop")
struct ExecutorTests {
    /// An actor that lives on a loop.
    private actor Resident {
        private let loop: EventLoop
        private(set) var count = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.asUnownedSerialExecutor()
        }

        init(_ loop: EventLoop) { self.loop = loop }

        func add() -> Bool {
            count += 1
            return loop.isCurrent
        }
    }

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

    @Test("A task that prefers the loop never leaves its thread")
    func staysOnLoop() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let task = Task(executorPreference: loop) {
                var isAtHome = loop.isCurrent
                for _ in 0..<1_000 {
                    isAtHome =
                        await Task(executorPreference: loop) { loop.isCurrent }.value && isAtHome
                    isAtHome = await resident.add() && isAtHome
                    isAtHome = loop.isCurrent && isAtHome
                    await Task.yield()
                    await withCheckedContinuation { continuation in
                        loop.post { continuation.resume() }
                    }
                    isAtHome = loop.isCurrent && isAtHome
                }
                return isAtHome
            }
            #expect(await task.value)
            // Only the first start came from outside.
            #expect(loop.mail.jobCount == 1)
            #expect(await resident.count == 1_000)
            #expect(loop.mail.jobCount > 1)
        }
    }

    @Test("A handler may enter an actor of its loop without waiting")
    func assumeIsolated() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let isAtHome = try await loop.perform { resident.assumeIsolated { $0.add() } }
            #expect(isAtHome)
            #expect(loop.isIsolatingCurrentContext() == false)
        }
    }

    @Test("Off the thread of the loop its actors are closed")
    func notIsolated() async {
        await #expect(processExitsWith: .failure) {
            func enter(_ resident: Resident) { _ = resident.assumeIsolated { $0.add() } }
            enter(Resident(try EventLoop()))
            exit(0)
        }
    }

    @Test("What several threads post arrives once, each thread's in order")
    func posts() async throws {
        // Unchecked: used on the thread of one loop.
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

    @Test("A loop that waits is woken by each of many single posts")
    func wakeUps() async throws {
        try await withLoop { loop in
            for number in 0..<2_000 {
                let echo = try await loop.perform { number }
                #expect(echo == number)
            }
        }
    }

    @Test("What comes before the start is run, and what comes after the end is refused")
    func beforeAndAfter() throws {
        let loop = try EventLoop()
        let probe = Probe()
        #expect(loop.post { probe.timerFired(1) })
        loop.post {
            loop.stop()
            // Still taken: the loop ends when nothing is left.
            loop.post { loop.post { probe.timerFired(2) } }
        }
        #expect(loop.run() == .stopped)
        #expect(probe.cookies == [1, 2])
        #expect(!loop.post { probe.timerFired(3) })
    }
}
