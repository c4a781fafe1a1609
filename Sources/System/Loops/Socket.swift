import CLinux
import CShims
import Glibc

/// A connected, non-blocking stream socket. It is closed when it goes out of scope.
package struct Socket: ~Copyable, Sendable {
    /// The descriptor, for a loop or a TLS session that ends before the socket. They must not close
    /// it.
    package let descriptor: Int32

    /// The descriptor is non-blocking and close-on-exec.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Gives up the descriptor without closing it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Fills the front of `buffer`, which must not be empty.
    package borrowing func read(into buffer: inout MutableSpan<UInt8>) -> Transfer {
        precondition(!buffer.isEmpty, "a read into an empty buffer would look like the end")
        let descriptor = descriptor
        return buffer.withUnsafeMutableBytes { bytes in
            transfer("recv") { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        }
    }

    /// Like `read`, but leaves the bytes to be read again.
    package borrowing func peek(into buffer: inout MutableSpan<UInt8>) -> Transfer {
        precondition(!buffer.isEmpty, "a peek into an empty buffer would look like the end")
        let descriptor = descriptor
        return buffer.withUnsafeMutableBytes { bytes in
            transfer("recv") { recv(descriptor, bytes.baseAddress, bytes.count, clinux_peek) }
        }
    }

    package borrowing func write(_ bytes: Span<UInt8>) -> Transfer {
        let descriptor = descriptor
        return bytes.withUnsafeBytes { bytes in
            transfer("send", isWriting: true) {
                send(descriptor, bytes.baseAddress, bytes.count, clinux_no_signal)
            }
        }
    }

    /// The peer can still send.
    package borrowing func shutdownWriting() {
        // Fails only if the connection is gone already.
        shutdown(descriptor, clinux_half_close)
    }

    /// Sends small writes at once. Connections of a TCP `ListeningSocket` inherit it.
    package borrowing func setNoDelay() {
        var on: Int32 = 1
        // Failing, as on a Unix socket, does no harm.
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Breaks the connection when the peer has acknowledged or read nothing of what was sent for so
    /// long: the peer may be unplugged.
    package borrowing func limitUntaken(_ limit: Duration) {
        var milliseconds = Int32(clamping: max(Interval(limit).nanoseconds / 1_000_000, 1))
        // Failing, as on a Unix socket, does no harm.
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds,
            socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Runs a call that moves bytes, and repeats it when a signal interrupted it.
private func transfer(
    _ call: StaticString, isWriting: Bool = false, _ body: () -> Int
) -> Transfer {
    while true {
        let count = body()
        if count > 0 || (isWriting && count == 0) { return .bytes(count) }
        if count == 0 { return .closed }
        switch errno {
        case EINTR: continue
        case EAGAIN: return .wouldBlock
        case EPIPE where isWriting, ECONNRESET where isWriting: return .closed
        case let code: return .failed(SystemError(call, code: code))
        }
    }
}

extension Socket {
    /// Begins to connect. Once the socket is writable, `connectFailure` returns the result.
    package static func connect(to address: SocketAddress) throws(SystemError) -> Socket {
        let storage = try SocketAddress.Storage(address)
        let socket = try Socket(
            owning: ensure("socket") { Glibc.socket(storage.family, clinux_stream, 0) })
        let descriptor = socket.descriptor
        let result = storage.withPointer { Glibc.connect(descriptor, $0, $1) }
        // An interrupted connect continues by itself.
        if result == -1, errno != EINPROGRESS, errno != EINTR {
            throw SystemError("connect", code: errno, about: address.description)
        }
        socket.setNoDelay()
        return socket
    }

    /// Nil if the connection was made.
    package borrowing func connectFailure() -> SystemError? {
        let code = intOption(descriptor, SO_ERROR) ?? errno
        return code == 0 ? nil : SystemError("connect", code: code)
    }
}

/// Nil if the call failed.
func intOption(_ descriptor: Int32, _ option: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
}

func setOption(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
) throws(SystemError) {
    var value = value
    _ = try ensure("setsockopt") {
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// The process at the other end of a Unix socket, when it connected.
package struct PeerCredentials: Equatable, Sendable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32
}

extension Socket {
    /// Nil if this is not a Unix socket.
    package borrowing func peerCredentials() -> PeerCredentials? {
        var process: pid_t = 0
        // The kernel's values for a peer without credentials.
        var (user, group) = (uid_t.max, gid_t.max)
        guard cshims_peer_credentials(descriptor, &process, &user, &group) == 0, user != uid_t.max
        else { return nil }
        return PeerCredentials(processID: process, userID: user, groupID: group)
    }
}

/// The result of one read or write.
package enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// Nothing now; the loop reports when to try again.
    case wouldBlock
    /// Reading: the peer sends no more, but may still read. Writing: the peer accepts no more.
    case closed
    case failed(SystemError)
}

/// Closes a connection whose peer may still be sending. Closing with unread data would reset the
/// connection, and the peer might never read our last bytes (RFC 9112 section 9.6).
///
/// Half-closes the connection, then reads and drops data until the peer closes, too much has come,
/// or the time is over. The loop keeps it alive until then.
package final class LingeringClose: EventHandler, TimerHandler {
    private let socket: Socket
    private let loop: EventLoop
    private var bytesLeft: Int
    private var watch: WatchID?
    private var timer: TimerID?

    /// The socket must not be watched any more, and all output must be written. If more than `others`
    /// linger on the loop, it is closed at once.
    package static func begin(
        _ socket: consuming Socket, on loop: EventLoop, atMost bytes: Int, within limit: Interval,
        besides others: Int = .max
    ) {
        guard loop.lingering < others else { return }
        let ending = LingeringClose(socket, loop, bytes)
        ending.socket.shutdownWriting()
        // Without a watch it is closed at once.
        guard let watch = try? loop.watch(ending.socket, for: .readable, ending) else { return }
        ending.watch = watch
        loop.lingering += 1
        ending.timer = loop.schedule(after: limit, ending)
    }

    private init(_ socket: consuming Socket, _ loop: EventLoop, _ bytes: Int) {
        self.socket = socket
        self.loop = loop
        bytesLeft = bytes
    }

    package func ready(_ readiness: Readiness, of watch: WatchID) {
        var scratch = [4_096 of UInt8](repeating: 0)
        var buffer = scratch.mutableSpan
        switch socket.read(into: &buffer) {
        case .bytes(let count) where count < bytesLeft: bytesLeft -= count
        case .wouldBlock: break
        case .bytes, .closed, .failed: end()
        }
    }

    package func timerFired(_ cookie: UInt64) { end() }

    /// Does nothing: the close ends soon anyway, and the peer must still get its answer.
    package func drain() {}

    private func end() {
        guard let watch = watch.take() else { return }
        loop.lingering -= 1
        loop.unwatch(watch)
        if let timer { loop.cancel(timer) }
    }
}
