import Glibc
import Reactor
import System

/// Checks that every loop still runs.
final class LoopPulse: Sendable {
    private let loops: [EventLoop]
    private let silent: Lock<Set<Int>>
    /// How many loops have not done yet what was posted to them before.
    private let behind = Lock(0)

    init(_ loops: [EventLoop]) {
        self.loops = loops
        silent = Lock([])
    }

    /// Pings all loops; false if one has not answered the previous ping.
    func beat() -> Bool {
        let isAlive = silent.withLock { silent in
            guard silent.isEmpty else { return false }
            silent = Set(loops.indices)
            return true
        }
        guard isAlive else { return false }
        for (index, loop) in loops.enumerated() {
            loop.post { self.silent.withLock { _ = $0.remove(index) } }
        }
        return true
    }

    /// Waits until each loop has done what was posted to it before, for a second at most.
    func settle() {
        behind.withLock { $0 += loops.count }
        for loop in loops { loop.post { self.behind.withLock { $0 -= 1 } } }
        for _ in 0..<1_000 where behind.withLock({ $0 > 0 }) { usleep(1_000) }
    }
}
