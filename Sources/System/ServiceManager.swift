import Glibc

/// Tells systemd the state of the service (sd_notify(3)). Does nothing without systemd.
package struct ServiceManager: Sendable {
    package enum State: Sendable {
        case ready
        case reloading
        case stopping
        /// For the watchdog.
        case alive
        /// What `systemctl status` shows.
        case status(String)
    }

    private let path: String?
    /// How often systemd wants a sign of life, with a margin; nil if it wants none.
    package let watchdogInterval: Duration?

    package init() {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        self.init(
            path: variable("NOTIFY_SOCKET"), watchdogTime: variable("WATCHDOG_USEC"),
            watchdogProcess: variable("WATCHDOG_PID"))
    }

    init(path: String?, watchdogTime: String? = nil, watchdogProcess: String? = nil) {
        self.path = path
        let isForUs = watchdogProcess.map { $0 == "\(getpid())" } ?? true
        let time = watchdogTime.flatMap { Int64($0) } ?? 0
        watchdogInterval = isForUs && time > 0 ? .microseconds(time / 3) : nil
    }

    package func tell(_ state: State) {
        guard let path else { return }
        // A lost message is no harm: systemd acts when it hears nothing.
        _ = DatagramSocket.send(Array(Self.text(state).utf8), to: path)
    }

    private static func text(_ state: State) -> String {
        switch state {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        case .status(let text): "STATUS=" + text.replacing("\n", with: " ")
        }
    }

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
