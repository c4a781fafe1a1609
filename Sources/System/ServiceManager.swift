import Base
import CLinux
import CShims
import Glibc

/// Tells systemd the state of the service (sd_notify(3)). It does nothing without systemd.
package struct ServiceManager: Sendable {
    package enum State: Sendable {
        case ready
        case reloading
        case stopping
        /// The sign of life for the watchdog.
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

    /// Whether this process has a service manager, which starts it again after a failure.
    package var isThere: Bool { path != nil }

    package func notify(_ state: State) {
        guard let path else { return }
        // A lost message does no harm: systemd acts when it gets no message for a while.
        _ = DatagramSocket.send(Array(Self.text(state).utf8), to: path)
    }

    private static func text(_ state: State) -> String {
        switch state {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        case .status(let text): "STATUS=" + text.replacing(each: "\n", by: " ")
        }
    }

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

enum DatagramSocket {
    /// Sends one datagram to a Unix socket; a leading `@` stands for the zero byte of an abstract
    /// name. If the socket is full, it waits, or fails.
    static func send(_ bytes: [UInt8], to path: String, waits: Bool = true) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"),
            name.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return false }
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(AF_UNIX, type, 0)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(
                    descriptor.number, bytes, bytes.count, flags, address, socklen_t(length))
                    == bytes.count
            }
        }
    }
}

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
