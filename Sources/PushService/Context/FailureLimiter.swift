import Synchronization
import System

/// Counts failures of each key within one second, on all loops together.
///
/// Each key has a count of its own. Once `capacity` keys have failed in a second, further keys are
/// not counted, because nobody may be made to wait for the failures of others; the work that
/// failures cause is limited per loop turn anyway. Any thread may use it. While nothing fails, a
/// check reads one atomic number.
final class FailureLimiter: Sendable {
    private struct Second {
        var number = Int64.min
        var counts: [UInt64: Int] = [:]
    }

    private let limit: Int
    private let capacity: Int
    private let current = Lock(Second())
    /// The second of the last failure.
    private let last = Atomic<Int64>(.min)

    init(perSecond limit: Int, capacity: Int = 65_536) {
        self.limit = limit
        self.capacity = capacity
    }

    func isExhausted(_ key: UInt64, second: Int64) -> Bool {
        guard Self.isSame(last.load(ordering: .relaxed), second) else { return false }
        return current.withLock { current in
            guard Self.isSame(current.number, second) else { return false }
            return current.counts[key, default: 0] >= limit
        }
    }

    func count(_ key: UInt64, second: Int64) {
        current.withLock { current in
            if !Self.isSame(current.number, second) { current = Second(number: second) }
            guard current.counts[key] != nil || current.counts.count < capacity else { return }
            current.counts[key, default: 0] += 1
            last.store(current.number, ordering: .relaxed)
        }
    }

    /// Another loop's clock may be a moment behind; it must not reset the count.
    private static func isSame(_ current: Int64, _ second: Int64) -> Bool {
        current == second || current &- 1 == second
    }
}
