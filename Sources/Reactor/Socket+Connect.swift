import CLinux
import Glibc

extension Socket {
    /// Begins to connect. Once the socket is writable, `connectFailure` returns the result.
    package static func connect(to address: SocketAddress) throws(ReactorError) -> Socket {
        let storage = try SocketAddress.Storage(address)
        let socket = try Socket(
            owning: ensure("socket") { Glibc.socket(storage.family, clinux_stream, 0) })
        let descriptor = socket.descriptor
        let result = storage.withPointer { Glibc.connect(descriptor, $0, $1) }
        // An interrupted connect continues by itself.
        if result == -1, errno != EINPROGRESS, errno != EINTR {
            throw ReactorError("connect", code: errno, about: address.description)
        }
        socket.setNoDelay()
        return socket
    }

    /// Nil if the connection was made.
    package borrowing func connectFailure() -> ReactorError? {
        let code = intOption(descriptor, SO_ERROR) ?? errno
        return code == 0 ? nil : ReactorError("connect", code: code)
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
) throws(ReactorError) {
    var value = value
    _ = try ensure("setsockopt") {
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
