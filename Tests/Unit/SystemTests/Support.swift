import Foundation
import Testing

@testable import System

/// One end of a connection, closed by hand or with the last reference.
// Unchecked: it is used on one thread at a time.
final class End: @unchecked Sendable {
    private var socket: Socket?
    let descriptor: Int32

    init(_ socket: consuming Socket) {
        descriptor = socket.descriptor
        self.socket = consume socket
    }

    /// Two connected Unix sockets.
    static func pair() throws -> (End, End) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        return (End(Socket(owning: pair[0])), End(Socket(owning: pair[1])))
    }

    static func connect(to address: SocketAddress) throws -> End {
        End(try Socket.connect(to: address))
    }

    func close() { socket = nil }

    func take() throws -> Socket {
        guard let socket = socket.take() else { throw CancellationError() }
        return socket
    }

    func use<Value>(_ body: (borrowing Socket) throws -> Value) throws -> Value {
        switch socket {
        case .some(let socket): return try body(socket)
        case nil: throw CancellationError()
        }
    }

    func write(_ text: String) throws -> Transfer {
        let bytes = Array(text.utf8)
        return try use { $0.write(bytes.span) }
    }

    func read(_ limit: Int = 4_096) throws -> Transfer {
        try use { socket in
            var bytes = [UInt8](repeating: 0, count: limit)
            var span = bytes.mutableSpan
            return socket.read(into: &span)
        }
    }

    /// Waits until there is something to read, at most ten seconds.
    func waitUntilReadable() throws {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1)
    }

    /// Everything up to the end; nil if the connection was reset.
    func readToEnd() throws -> Int? {
        var total = 0
        while true {
            try waitUntilReadable()
            switch try read(65_536) {
            case .bytes(let count): total += count
            case .closed: return total
            case .wouldBlock: continue
            case .failed: return nil
            }
        }
    }
}

/// Waits until that many connections are in the queue of a TCP listener, at most ten seconds.
func waitForQueue(_ listener: Int32, _ count: Int) throws {
    let deadline = Instant.now + Interval(.seconds(10))
    while Instant.now < deadline {
        var info = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        try #require(getsockopt(listener, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0)
        // For a listener this is the length of its queue.
        if info.tcpi_unacked >= count { return }
    }
    Issue.record("too few connections came")
}

extension ListeningSocket {
    /// The connection that is waiting or about to come.
    borrowing func acceptNext() throws -> (End, SocketAddress) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1)
        guard case .connection(let socket, let peer) = accept() else { throw CancellationError() }
        return (End(socket), peer)
    }
}

/// A handler with closures that a test sets.
// Unchecked: it is used on the thread of one loop.
final class Probe: EventHandler, TimerHandler, @unchecked Sendable {
    var onReady: (Readiness, WatchID) -> Void = { _, _ in }
    var onTimer: (UInt64) -> Void = { _ in }
    var onDrain: () -> Void = {}
    private(set) var readyCount = 0
    private(set) var drainCount = 0
    private(set) var cookies: [UInt64] = []

    func ready(_ readiness: Readiness, of watch: WatchID) {
        readyCount += 1
        onReady(readiness, watch)
    }

    func timerFired(_ cookie: UInt64) {
        cookies.append(cookie)
        onTimer(cookie)
    }

    func drain() {
        drainCount += 1
        onDrain()
    }
}

extension EventLoop {
    /// Runs the loop on this thread until it is stopped; fails the test if nobody stops it.
    func runUntilStopped() {
        let guardian = Probe()
        guardian.onTimer = { _ in
            Issue.record("the loop was not stopped in time")
            self.stop()
        }
        _ = schedule(after: Interval(.seconds(20)), guardian)
        _ = run()
    }

    /// Stops the loop after that time.
    func stop(after duration: Duration) {
        let probe = Probe()
        probe.onTimer = { _ in self.stop() }
        _ = schedule(after: Interval(duration), probe)
    }

    /// Runs on the thread of the loop, from another thread.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = post { continuation.resume(with: Result(catching: body)) }
            if !isTaken { continuation.resume(throwing: CancellationError()) }
        }
    }
}

extension Duration {
    var interval: Interval { Interval(self) }
}
