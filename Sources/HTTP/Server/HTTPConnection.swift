import Base
import Reactor
import TLS

/// One connection of a server or of a WebSocket client: moves bytes between its transport and the
/// protocol spoken on it.
///
/// The loop keeps it alive while it is watched. Everything runs on the thread of the loop.
/// Exclusivity checks are off: no access lasts while other code runs.
final class HTTPConnection: EventHandler, TimerHandler {
    let service: HTTPService
    /// From the socket or the PROXY header.
    @exclusivity(unchecked) var peer: SocketAddress
    let isEncrypted: Bool
    /// What the protocol has to send, by `flush`.
    @exclusivity(unchecked) var output: [UInt8] = []

    @exclusivity(unchecked) var transport: Transport?
    /// Nil once the PROXY header was read, or if none is expected.
    @exclusivity(unchecked) var proxyHeader: ProxyHeader?
    /// Bytes of bodies that are not answered yet.
    @exclusivity(unchecked) private var heldBytes = 0
    /// Nil until the handshake has chosen it.
    @exclusivity(unchecked) private(set) var spoken: (any SpokenProtocol)?
    /// The kind under which the connection is counted.
    @exclusivity(unchecked) private var counted: HTTPFigures.Spoken?
    @exclusivity(unchecked) private var watch: Watch?
    @exclusivity(unchecked) private var interest = Interest.readable
    @exclusivity(unchecked) private var timer: TimerID?
    @exclusivity(unchecked) private var timerDeadline: Duration?
    @exclusivity(unchecked) private var written = 0
    @exclusivity(unchecked) private var isOpen = false
    /// It is in the send queue of this turn.
    @exclusivity(unchecked) private var isWaiting = false
    /// OpenSSL holds bytes that the protocol did not want yet.
    @exclusivity(unchecked) private var hasUnread = false
    /// A timer to continue reading is set.
    @exclusivity(unchecked) private var isReadingOn = false
    /// OpenSSL has to write before it can read on, and the socket has no room.
    @exclusivity(unchecked) private var readsAfterWriting = false
    /// Until when the peer has to read our last bytes.
    @exclusivity(unchecked) private var endDeadline: Duration?

    /// A connection with more unsent output than this is congested.
    static let outputMark = 128 * 1024
    private static let readsPerEvent = 4
    /// The cookie of the timer that continues reading.
    private static let readOnCookie: UInt64 = 1

    init(_ transport: consuming Transport, _ peer: SocketAddress, _ service: HTTPService) {
        self.service = service
        self.peer = peer
        isEncrypted = transport.isEncrypted
        timerDeadline = nil
        proxyHeader = service.terms.usesProxyProtocol ? ProxyHeader() : nil
        self.transport = consume transport
    }

    var peerCredentials: PeerCredentials? { transport?.peerCredentials }

    var isCongested: Bool { output.count - written >= Self.outputMark }

    /// Begins to serve. A connection that cannot be watched is closed.
    func start() {
        guard open() else { return }
        count(as: .handshake)
        if proxyHeader == nil, !isEncrypted { speak(HTTP1Server(on: self)) }
        setTimer(spoken?.deadline ?? service.handshakeDeadline)
    }

    /// Takes over a WebSocket that a client has opened; `rest` followed the answer to its
    /// handshake.
    func start(_ socket: WebSocketConnection, subprotocol: String?, received rest: [UInt8]) {
        speak(socket)
        guard open() else { return }
        socket.open(subprotocol: subprotocol)
        var rest = rest
        var bytes = rest.mutableSpan
        socket.receive(&bytes)
        flush()
        if transport?.hasPending == true { receive() }
    }

    private func open() -> Bool {
        guard let descriptor = transport?.descriptor,
            let watch = try? service.loop.watch(descriptor, for: interest, self)
        else { return false }
        self.watch = watch
        isOpen = true
        service.opened()
        return true
    }

    /// The loop may end before the connection. Exchanges keep the connection alive, so these bytes
    /// belong to incomplete bodies.
    deinit {
        spoken?.closed()
        count(as: nil)
        service.budget.giveBack(heldBytes)
    }

    func ready(_ readiness: Readiness, of watch: Watch) {
        if proxyHeader != nil, !readProxyHeader() { return }
        if spoken == nil { return shakeHands() }
        var isReading = readiness.isReadable
        if readiness.isWritable {
            if readsAfterWriting { isReading = true }
            readsAfterWriting = false
            flush()
        }
        if isReading { receive() }
    }

    /// Stops watching only when there was something to read: most peers send nothing before they
    /// have their answer, and changing the watch is a system call.
    private func stopReading() {
        hasUnread = transport?.hasPending == true
        if interest.isReadable { setInterest(interest.subtracting(.readable)) }
    }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {
        sendQueue.lend(&output)
        spoken?.respond(to: exchange, head, body)
    }

    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance) {
        spoken?.upgrade(exchange, by: acceptance)
    }

    func drain() {
        guard let spoken else { return close() }
        spoken.stop()
        flush()
    }

    func timerFired(_ cookie: UInt64) {
        if cookie == Self.readOnCookie {
            isReadingOn = false
            return receive()
        }
        timer = nil
        timerDeadline = nil
        guard let spoken, spoken.ending == nil else { return close() }
        spoken.expired()
        flush()
    }
}

/// The memory of bodies.
extension HTTPConnection {
    /// Reserves room for a piece of a body; false if the limit of the connection or the server is
    /// reached.
    func hold(_ count: Int) -> Bool {
        guard heldBytes + count <= service.limits.heldBytesPerConnection,
            service.budget.take(count)
        else { return false }
        heldBytes += count
        return true
    }

    func letGo(_ count: Int) {
        heldBytes -= count
        service.budget.giveBack(count)
    }
}

extension HTTPConnection {
    private func shakeHands() {
        switch transport?.handshake() {
        case .bytes:
            guard let agreed = agreedProtocol() else { return close() }
            speak(agreed)
            agreed.produce()
            flush()
            // The first request may have come with the end of the handshake.
            if transport?.hasPending == true { receive() }
        case .wantsRead: setInterest(.readable)
        case .wantsWrite: setInterest(.writable)
        case .failed: lose()
        case .closed, nil: close()
        }
    }

    private func agreedProtocol() -> (any SpokenProtocol)? {
        guard transport?.applicationProtocol == .http2 else { return HTTP1Server(on: self) }
        return try? HTTP2Server(on: self)  // Out of memory: this connection closes.
    }

    private func receive() {
        let scratch = service.scratch
        for _ in 0..<Self.readsPerEvent {
            guard let spoken, spoken.takesInput else { return stopReading() }
            var buffer = scratch.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                service.read(count)
                sendQueue.lend(&output)
                var input = scratch.extracting(0..<count).mutableSpan
                spoken.receive(&input)
                flush()
            case .wantsRead: return
            case .wantsWrite:
                // Unread input would be reported in every turn.
                readsAfterWriting = true
                return setInterest(.writable)
            case .failed: return lose()
            case .closed, nil: return close()
            }
            // Waiting for the next event is cheaper than a read that finds nothing.
            guard transport?.hasPending == true else { return }
        }
        readOn()
    }

    /// Continues in the next turn, after other connections: OpenSSL holds more, which the socket
    /// does not report.
    private func readOn() {
        hasUnread = false
        guard !isReadingOn else { return }
        isReadingOn = true
        _ = service.loop.schedule(after: Interval(.zero), self, cookie: Self.readOnCookie)
    }

    func flushLater() {
        guard !isWaiting else { return }
        isWaiting = true
        sendQueue.flushLater(self)
    }

    /// Writes all output, then waits for the next event.
    func flush() {
        repeat {
            while written < output.count {
                switch transport?.write(output, from: written) {
                case .bytes(let count): written += count
                case .wantsRead: return wait(readable: true)
                case .wantsWrite:
                    forgetWritten()
                    return wait(writable: true)
                case .closed, .failed, nil: return close()
                }
            }
            if written > 0 {
                output.removeAll(keepingCapacity: true)
                written = 0
            }
            spoken?.produce()
        } while !output.isEmpty
        // An idle connection holds no buffer.
        service.sendQueue.takeBack(&output)
        wait()
    }

    private func wait(readable: Bool = false, writable: Bool = false) {
        let wishes = spoken?.wishes ?? SpokenProtocolWishes()
        if let ending = wishes.ending, output.isEmpty { return end(ending) }
        let isReading = readable || wishes.takesInput || interest.isReadable
        setInterest(
            Interest(
                readable: isReading && !readsAfterWriting, writable: writable || readsAfterWriting))
        if wishes.takesInput, hasUnread { readOn() }
        guard wishes.ending != nil else { return setTimer(wishes.deadline) }
        let deadline = endDeadline ?? service.now + service.limits.patience.body
        endDeadline = deadline
        setTimer(deadline)
    }

    private func end(_ ending: ConnectionEnding) {
        if case .linger = ending, let transport = transport.take() {
            let patience = service.limits.patience
            unwatch()
            LingeringClose.begin(
                transport.finish(), on: service.loop, atMost: patience.lingeringBytes,
                within: Interval(patience.lingering))
        }
        close()
    }

    private func lose() {
        if let flood = transport?.flood { service.noteFlood(flood.word, of: self) }
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        // The loop may free the connection in here, and its protocol needs it to the end.
        withExtendedLifetime(self) {
            unwatch()
            if let timer { service.loop.cancel(timer) }
            timer = nil
            if let transport = transport.take() { _ = transport.finish() }
            spoken.take()?.closed()
            service.closed()
            count(as: nil)
        }
    }

    private func unwatch() {
        if let watch { service.loop.unwatch(watch) }
        watch = nil
    }

    private func setInterest(_ interest: Interest) {
        guard interest.rawValue != self.interest.rawValue, let watch else { return }
        self.interest = interest
        service.loop.setInterest(interest, of: watch)
    }

    /// One timer serves whichever deadline is next.
    private func setTimer(_ deadline: Duration?) {
        guard let deadline, deadline != timerDeadline else { return }
        timerDeadline = deadline
        let interval = Interval(deadline - service.now)
        if let timer, service.loop.reschedule(timer, after: interval) { return }
        timer = service.loop.schedule(after: interval, self)
    }
}

extension HTTPConnection: QueuedSender {
    func flushNow() {
        isWaiting = false
        flush()
    }
}

/// For the protocol spoken on the connection.
extension HTTPConnection {
    var now: Duration { service.now }
    var bufferedBytes: Int { output.count - written }
    var sendQueue: SendQueue { service.sendQueue }

    /// Changes the protocol, between two events.
    func speak(_ successor: any SpokenProtocol) {
        spoken = successor
        count(as: type(of: successor).spoken)
    }

    private func count(as new: HTTPFigures.Spoken?) {
        guard new != counted else { return }
        service.figures.changed(from: counted, to: new)
        counted = new
    }

    /// The output must not grow without end while a peer reads slowly.
    private func forgetWritten() {
        guard written > output.count / 2 else { return }
        output.removeFirst(written)
        written = 0
    }
}
