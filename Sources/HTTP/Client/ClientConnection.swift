import Reactor

/// The connection of an open WebSocket of a client: moves bytes between transport and WebSocket.
///
/// The loop holds it as long as it is watched. Everything runs on the thread of the loop.
final class ClientConnection: EventHandler, TimerHandler, WebSocketCarrier {
    let peer: SocketAddress
    let isEncrypted: Bool
    let sendQueue: SendQueue
    var output: [UInt8] = []

    private let loop: EventLoop
    private var transport: Transport?
    private var spoken: WebSocketConnection?
    private var watch: Watch?
    private var timer: TimerID?
    private var timerDeadline: Duration?
    private var written = 0
    /// OpenSSL holds bytes that the WebSocket did not want yet.
    private var hasUnread = false
    private var isReadingOn = false
    /// OpenSSL has to answer the peer before it reads on, and there is no room for that.
    private var readsAfterWriting = false
    private let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)

    private static let readsPerEvent = 4
    /// The cookie of a timer that asks for what was read ahead.
    private static let readOnCookie: UInt64 = 1

    init(_ transport: consuming Transport, _ peer: SocketAddress, on loop: EventLoop) {
        self.peer = peer
        self.loop = loop
        isEncrypted = transport.isEncrypted
        sendQueue = SendQueue(on: loop)
        scratch.initialize(repeating: 0)
        self.transport = consume transport
    }

    deinit {
        // The loop may end before the connection does.
        spoken?.closed()
        scratch.deallocate()
    }

    var now: Duration { .nanoseconds(loop.now.nanoseconds) }
    var bufferedBytes: Int { output.count - written }

    /// `rest` came behind the answer to the opening handshake.
    func start(_ socket: WebSocketConnection, subprotocol: String?, received rest: [UInt8]) {
        spoken = socket
        guard let descriptor = transport?.descriptor,
            let watch = try? loop.watch(descriptor, for: .readable, self)
        else { return cut() }
        self.watch = watch
        socket.open(subprotocol: subprotocol)
        var rest = rest
        var bytes = rest.mutableSpan
        socket.receive(&bytes)
        flush()
        if transport?.hasPending == true { receive() }
    }

    func ready(_ readiness: Readiness, of watch: Watch) {
        var isReading = readiness.isReadable
        if readiness.isWritable {
            if readsAfterWriting { isReading = true }
            readsAfterWriting = false
            flush()
        }
        if isReading { receive() }
    }

    func drain() {
        spoken?.stop()
        flush()
    }

    func timerFired(_ cookie: UInt64) {
        if cookie == Self.readOnCookie {
            isReadingOn = false
            return receive()
        }
        timer = nil
        timerDeadline = nil
        spoken?.expired()
        flush()
    }

    private func receive() {
        for _ in 0..<Self.readsPerEvent {
            guard let spoken, spoken.takesInput else {
                hasUnread = transport?.hasPending == true
                return
            }
            var buffer = scratch.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                var input = scratch.extracting(0..<count).mutableSpan
                spoken.receive(&input)
                flush()
            case .wantsRead: return
            case .wantsWrite:
                readsAfterWriting = true
                return wait(for: .writable)
            case .closed, .failed, nil: return cut()
            }
            guard transport?.hasPending == true else { return }
        }
        readOn()
    }

    /// OpenSSL holds more, and the socket will not say so; others come first.
    private func readOn() {
        hasUnread = false
        guard !isReadingOn else { return }
        isReadingOn = true
        _ = loop.schedule(after: Interval(.zero), self, cookie: Self.readOnCookie)
    }

    func flush() {
        while true {
            guard written < output.count else {
                output.removeAll(keepingCapacity: true)
                written = 0
                spoken?.produce()
                if output.isEmpty { break }
                continue
            }
            switch transport?.write(output, from: written) {
            case .bytes(let count): written += count
            case .wantsRead: return wait(for: .readable)
            case .wantsWrite:
                forgetWritten()
                return wait(for: .writable)
            case .closed, .failed, nil: return cut()
            }
        }
        if spoken?.ending == nil { wait(for: []) } else { cut() }
    }

    func cut() {
        guard let ended = spoken.take() else { return }
        // The loop may let go of it here.
        withExtendedLifetime(self) {
            if let watch { loop.unwatch(watch) }
            watch = nil
            if let timer { loop.cancel(timer) }
            timer = nil
            if let transport = transport.take() { _ = transport.finish() }
            ended.closed()
        }
    }

    /// A peer that reads slowly, but does, must not make the output grow for ever.
    private func forgetWritten() {
        guard written > output.count / 2 else { return }
        output.removeFirst(written)
        written = 0
    }

    private func wait(for interest: Interest) {
        guard let watch, let spoken else { return }
        let isReading = spoken.takesInput || interest.isReadable
        loop.setInterest(
            Interest(
                readable: isReading && !readsAfterWriting,
                writable: interest.contains(.writable) || readsAfterWriting), of: watch)
        if spoken.takesInput, hasUnread { readOn() }
        guard let deadline = spoken.deadline, deadline != timerDeadline else { return }
        timerDeadline = deadline
        let interval = Interval(deadline - now)
        if let timer, loop.reschedule(timer, after: interval) { return }
        timer = loop.schedule(after: interval, self)
    }
}
