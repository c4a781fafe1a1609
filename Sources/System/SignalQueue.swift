import Glibc

/// What the system or a person asks a server for. Signals wait until the server takes them.
package struct SignalQueue: Sendable {
    package enum Request: Sendable {
        case end
        case reload
    }

    private static let requests: [Int32: Request] = [
        SIGTERM: .end, SIGINT: .end, SIGHUP: .reload,
    ]

    /// To be called before there are threads: they inherit that these signals do not interrupt.
    package init() {
        var signals = Self.set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// As if somebody had asked this process to end. From any thread.
    package static func askToEnd() { kill(getpid(), SIGTERM) }

    /// Waits; nil when nothing was asked for so long.
    package func next(within limit: Duration) -> Request? {
        var signals = Self.set
        let (seconds, attoseconds) = limit.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // Also when something else interrupted: the caller asks again anyway.
        return Self.requests[sigtimedwait(&signals, nil, &time)]
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in requests.keys { sigaddset(&signals, signal) }
        return signals
    }
}
