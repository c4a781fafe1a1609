import Glibc

/// Requests that arrive as signals. They wait until the server asks for them.
package struct SignalQueue: Sendable {
    package enum Request: Sendable {
        case end
        case reload
        /// Something changed that the main thread follows.
        case look
    }

    private static let requests: [Int32: Request] = [
        SIGTERM: .end, SIGINT: .end, SIGHUP: .reload, SIGUSR1: .look,
    ]

    /// Call it before any thread starts: threads inherit the mask.
    package init() {
        var signals = Self.set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Ends this process as SIGTERM would. Any thread may call it.
    package static func askToEnd() { kill(getpid(), SIGTERM) }

    /// Wakes the main thread. Several requests may become one. Any thread may call it.
    package static func askToLook() { kill(getpid(), SIGUSR1) }

    /// Waits; nil if nothing came in that time.
    package func next(within limit: Duration) -> Request? {
        var signals = Self.set
        let (seconds, attoseconds) = limit.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // Nil also when another signal interrupted it; callers ask again anyway.
        return Self.requests[sigtimedwait(&signals, nil, &time)]
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in requests.keys { sigaddset(&signals, signal) }
        return signals
    }
}
