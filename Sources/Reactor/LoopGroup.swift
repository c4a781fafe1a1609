import CShims
import Glibc
import System

/// Event loops that run on threads of their own, by default one for each core.
///
/// A graceful end: `drain` asks listeners to close and connections to finish, `join` waits until
/// they have, at most for the time given, and says how each loop ended.
package final class LoopGroup: Sendable {
    package let loops: [EventLoop]
    private let threads = Lock<[LoopThread]>([])

    package static var usableCores: Int { Int(cshims_usable_cores()) }

    package init(count: Int = usableCores) throws(ReactorError) {
        precondition(count > 0, "a group has a loop")
        var loops: [EventLoop] = []
        for _ in 0..<count { loops.append(try EventLoop()) }
        self.loops = loops
    }

    /// Once. The threads are called by `name` and a number; the kernel keeps 15 bytes.
    package func start(name: String) throws(ReactorError) {
        for (index, loop) in loops.enumerated() {
            let thread = try LoopThread(running: loop, name: "\(name)-\(index)")
            threads.withLock { $0.append(thread) }
        }
    }

    /// From any thread.
    package func drain(within limit: Duration) {
        for loop in loops { loop.drain(within: limit) }
    }

    /// From any thread.
    package func stop() {
        for loop in loops { loop.stop() }
    }

    /// Blocks until all loops have ended. Once, and not on one of their threads.
    package func join() -> [Ending] {
        let threads = threads.withLock { exchange(&$0, with: []) }
        return threads.map { $0.join() }
    }

    /// As `join`, but whoever hangs is not waited for longer than this: nil for each of those.
    package func join(within limit: Duration) -> [Ending?] {
        let deadline = Instant.now + Interval(limit)
        let threads = threads.withLock { exchange(&$0, with: []) }
        return threads.map { $0.join(until: deadline) }
    }
}
