import Glibc

/// Keeps one kind of line from filling a log. Pure: the time is passed in.
struct LogThrottle {
    /// So many lines of a kind are written in a window; the rest is counted.
    static let linesPerWindow = 10
    static let window: Int64 = 60_000

    private struct Kind {
        var windowStart: Int64
        var count = 0
    }

    private var kinds: [String: Kind] = [:]

    /// How many lines of this kind were left out before this one; nil if it is to be left out too.
    mutating func admit(_ event: String, at now: Int64) -> Int? {
        var kind = kinds[event] ?? Kind(windowStart: now)
        var leftOut = 0
        if now - kind.windowStart >= Self.window {
            leftOut = max(0, kind.count - Self.linesPerWindow)
            kind = Kind(windowStart: now)
        }
        kind.count += 1
        kinds[event] = kind
        return kind.count <= Self.linesPerWindow ? leftOut : nil
    }
}

/// One throttle for all threads.
///
/// Over a lock of the C library: the thread sanitizer does not see into the slow path of `Mutex`, and
/// would report races where there are none.
// Unchecked: the throttle is touched under the lock alone.
final class SharedThrottle: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var throttle = LogThrottle()

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1).deallocate()
    }

    func admit(_ event: String, at now: Int64) -> Int? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return throttle.admit(event, at: now)
    }
}
