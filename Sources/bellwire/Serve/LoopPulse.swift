import Reactor
import System

/// Checks that every loop still runs.
final class LoopPulse: Sendable {
    private let loops: [EventLoop]
    private let silent: Lock<Set<Int>>

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
}
