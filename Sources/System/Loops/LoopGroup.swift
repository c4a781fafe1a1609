import CShims

/// Event loops that run on their own threads, by default one for each core.
///
/// For a graceful end, `drain` asks listeners to close and connections to finish; `join` waits
/// until they have, at most for that time, and reports how each loop ended.
package final class LoopGroup: Sendable {
    package let loops: [EventLoop]
    private let threads = Lock<[WorkThread]>([])
    /// How each loop ended, by its index.
    private let endings: Lock<[LoopEnding]>

    package static var usableCores: Int { Int(cshims_usable_cores()) }

    package init(count: Int = usableCores) throws(SystemError) {
        precondition(count > 0, "the group has no loop")
        var loops: [EventLoop] = []
        for _ in 0..<count { loops.append(try EventLoop()) }
        self.loops = loops
        endings = Lock(Array(repeating: .stopped, count: count))
    }

    /// Call it once. Threads are named `name` and a number; the kernel keeps 15 bytes.
    package func start(name: String) throws(SystemError) {
        for (index, loop) in loops.enumerated() {
            let thread = try WorkThread(name: "\(name)-\(index)") { [self] in
                let ending = loop.run()
                endings.withLock { $0[index] = ending }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Any thread may call it.
    package func drain(within limit: Duration) {
        for loop in loops { loop.drain(within: limit) }
    }

    /// Any thread may call it.
    package func stop() {
        for loop in loops { loop.stop() }
    }

    /// Blocks until all loops have ended. Call it once, and not on one of their threads.
    package func join() -> [LoopEnding] {
        let endings = join { thread in
            thread.join()
            return true
        }
        return endings.compactMap(\.self)
    }

    /// Like `join`, but gives up on loops that hang longer than this. They have nil.
    package func join(within limit: Duration) -> [LoopEnding?] {
        let deadline = Instant.now + Interval(limit)
        return join { $0.join(until: deadline) }
    }

    private func join(_ hasEnded: (WorkThread) -> Bool) -> [LoopEnding?] {
        let threads = threads.withLock { exchange(&$0, with: []) }
        return threads.enumerated().map { index, thread in
            hasEnded(thread) ? endings.withLock { $0[index] } : nil
        }
    }
}

/// Decides when a loop ends. It is a pure value: the time and the number of watches are passed in.
struct LoopClosing {
    private var isStopped = false
    /// When draining ends; nil if the loop is not draining.
    private(set) var deadline: Instant?

    var isDraining: Bool { deadline != nil }

    mutating func stop() { isStopped = true }

    /// A second call can only make the deadline earlier.
    mutating func drain(until instant: Instant) {
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    func ending(watched: Int, now: Instant) -> LoopEnding? {
        if isStopped { return .stopped }
        guard let deadline else { return nil }
        if watched == 0 { return .drained }
        return now >= deadline ? .cut(watched) : nil
    }
}

/// How a loop ended.
package enum LoopEnding: Equatable, Sendable {
    /// `stop` ended it, and dropped all watches at once.
    case stopped
    /// All watches ended by themselves.
    case drained
    /// The time to drain was over; this many watches were dropped.
    case cut(Int)
}
