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
