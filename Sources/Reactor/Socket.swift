import CLinux
import CShims
import Glibc

/// A connected, non-blocking stream socket. Closed when it goes out of scope.
package struct Socket: ~Copyable, Sendable {
    /// For a loop or a TLS session that ends before the socket; they must not close it.
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
        precondition(!buffer.isEmpty, "a read into nothing looks like the end")
        let descriptor = descriptor
        return buffer.withUnsafeMutableBytes { bytes in
            transfer("recv") { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        }
    }

    /// Like `read`, but leaves the bytes to be read again.
    package borrowing func peek(into buffer: inout MutableSpan<UInt8>) -> Transfer {
        precondition(!buffer.isEmpty, "a look at nothing looks like the end")
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
        case let code: return .failed(ReactorError(call, code: code))
        }
    }
}
