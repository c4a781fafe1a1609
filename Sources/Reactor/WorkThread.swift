import CShims
import Glibc

/// A thread for one piece of work. Call `join` or `letGo` exactly once.
package struct WorkThread: Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    /// The kernel keeps 15 bytes of the name.
    package init(
        name: String, _ work: @escaping @Sendable () -> Void
    ) throws(ReactorError) {
        let start = Start {
            cshims_name_thread(name)
            work()
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(start)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw ReactorError("pthread_create", code: code)
        }
        self.thread = thread
    }

    package func join() { pthread_join(thread, nil) }

    /// False if the thread is still running at the deadline; it is then detached.
    func join(until deadline: Instant) -> Bool {
        let time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        if cshims_join_until(thread, time) == 0 { return true }
        letGo()
        return false
    }

    /// Detaches the thread, whose work may block for any time.
    package func letGo() { pthread_detach(thread) }
}
