import CShims
import Glibc
import System

/// A thread that does nothing but run one loop.
final class LoopThread: Sendable {
    private let thread: pthread_t
    private let start: Start

    private final class Start: Sendable {
        let loop: EventLoop
        let name: String
        let ending = Lock(Ending.stopped)

        init(_ loop: EventLoop, _ name: String) {
            self.loop = loop
            self.name = name
        }
    }

    init(running loop: EventLoop, name: String) throws(ReactorError) {
        start = Start(loop, name)
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(start)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                cshims_name_thread(start.name)
                let ending = start.loop.run()
                start.ending.withLock { $0 = ending }
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw ReactorError("pthread_create", code: code)
        }
        self.thread = thread
    }

    /// Once.
    func join() -> Ending {
        pthread_join(thread, nil)
        return start.ending.withLock { $0 }
    }

    /// Once. Nil when the thread goes on after that time; then it is left to itself.
    func join(until deadline: Instant) -> Ending? {
        let time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        guard cshims_join_until(thread, time) == 0 else {
            pthread_detach(thread)
            return nil
        }
        return start.ending.withLock { $0 }
    }
}
