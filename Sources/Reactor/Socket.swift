import CLinux
import CShims
import Glibc

/// A connected stream socket that never blocks. Closed when it goes out of scope.
package struct Socket: ~Copyable, Sendable {
    /// Lent, to a loop or a TLS session that ends before the socket; never closed by others.
    package let descriptor: Int32

    /// The descriptor is non-blocking and closed on exec.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Gives the descriptor away, open.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Fills the front of `buffer`, which is not empty.
    package borrowing func read(into buffer: inout MutableSpan<UInt8>) -> Transfer {
        precondition(!buffer.isEmpty, "a read into nothing looks like the end")
        let descriptor = descriptor
        return buffer.withUnsafeMutableBytes { bytes in
            transfer("recv") { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        }
    }

    /// As `read`, but what is seen stays to be read.
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

    /// Tells the peer that nothing more comes. It may still send.
    package borrowing func shutdownWriting() {
        // A connection that is gone already needs no farewell.
        shutdown(descriptor, clinux_half_close)
    }

    /// Small writes leave at once. Connections of a TCP `ListeningSocket` are born with it.
    package borrowing func setNoDelay() {
        var on: Int32 = 1
        // Without it, and on a Unix socket, everything works as well.
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// The result of a call that moves bytes, made again whenever a signal interrupted it.
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
