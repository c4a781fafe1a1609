import Glibc

/// Signals that concern a program that draws its whole screen.
package struct TerminalSignals: Sendable {
    package enum Signal: Sendable {
        case resize
        case pause
        case goOn
        /// SIGTERM and others that end a program.
        case end(Int32)
    }

    private static let kinds: [Int32: Signal] = [
        SIGWINCH: .resize, SIGTSTP: .pause, SIGCONT: .goOn, SIGTERM: .end(SIGTERM),
        SIGINT: .end(SIGINT), SIGHUP: .end(SIGHUP), SIGQUIT: .end(SIGQUIT),
    ]

    /// Call it before any thread starts: threads inherit the mask.
    package init() {
        var signals = Self.set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next one.
    package func next() -> Signal {
        var signals = Self.set
        var number: Int32 = 0
        while true {
            if sigwait(&signals, &number) == 0, let kind = Self.kinds[number] { return kind }
        }
    }

    /// Stops this process until it is told to go on.
    package static func stop() { kill(getpid(), SIGSTOP) }

    /// Ends this process as if it had not waited for the signal.
    package static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var signals = Self.set
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in kinds.keys { sigaddset(&signals, signal) }
        return signals
    }
}
