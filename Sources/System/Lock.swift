import Glibc

/// A value that one thread at a time can use.
///
/// It uses a lock of the C library because the thread sanitizer does not see the slow path of
/// `Mutex` and would report races where there are none.
// Unchecked: the value is used only while the lock is held.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1).deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1).deallocate()
    }

    package borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }
}

/// A function that somebody sets and others call. Any thread may use it.
package final class Subscriber<Value, Answer>: Sendable {
    /// In a box of its own: a function that is read out of something generic is wrapped once more
    /// each time, and so becomes slower and slower.
    private struct Box {
        let function: @Sendable (Value) -> Answer
    }

    private let box = Lock<Box?>(nil)

    package init() {}

    package func set(_ function: (@Sendable (Value) -> Answer)?) {
        box.withLock { $0 = function.map { Box(function: $0) } }
    }

    /// Nil if there is none.
    @discardableResult
    package func call(_ value: Value) -> Answer? { box.withLock { $0 }?.function(value) }
}

/// A value that one thread at a time may use, and whose changes a thread can wait for.
// Unchecked: the value is only touched inside the lock.
package final class Monitor<Value: ~Copyable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1).deallocate()
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }

    /// Wakes the waiting thread.
    package func signal() { pthread_cond_signal(condition) }

    /// Waits until `body` has a result; nil after `limit` milliseconds.
    package func wait<Result>(atMost limit: Int64?, _ body: (inout Value) -> Result?) -> Result? {
        let deadline = limit.map(Self.time(after:))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value.pointee) { return result }
            if var deadline {
                let code = pthread_cond_timedwait(condition, mutex, &deadline)
                if code == ETIMEDOUT { return body(&value.pointee) }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
    }

    private static func time(after milliseconds: Int64) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = Int64(time.tv_nsec) + milliseconds % 1_000 * 1_000_000
        return timespec(
            tv_sec: time.tv_sec + Int(milliseconds / 1_000 + nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
