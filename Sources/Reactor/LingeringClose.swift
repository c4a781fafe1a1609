/// Closes a connection whose peer may still be sending. Closing with unread data would reset the
/// connection, and the peer might never read our last bytes (RFC 9112 section 9.6).
///
/// Half-closes the connection, then reads and drops data until the peer closes, too much has come,
/// or the time is over. The loop keeps it alive until then.
package final class LingeringClose: EventHandler, TimerHandler {
    private let socket: Socket
    private let loop: EventLoop
    private var bytesLeft: Int
    private var watch: Watch?
    private var timer: TimerID?

    /// The socket must not be watched any more, and all output must be written.
    package static func begin(
        _ socket: consuming Socket, on loop: EventLoop, atMost bytes: Int, within limit: Interval
    ) {
        let ending = LingeringClose(socket, loop, bytes)
        ending.socket.shutdownWriting()
        // Without a watch it is closed at once.
        guard let watch = try? loop.watch(ending.socket, for: .readable, ending) else { return }
        ending.watch = watch
        ending.timer = loop.schedule(after: limit, ending)
    }

    private init(_ socket: consuming Socket, _ loop: EventLoop, _ bytes: Int) {
        self.socket = socket
        self.loop = loop
        bytesLeft = bytes
    }

    package func ready(_ readiness: Readiness, of watch: Watch) {
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
        if let watch { loop.unwatch(watch) }
        if let timer { loop.cancel(timer) }
    }
}
