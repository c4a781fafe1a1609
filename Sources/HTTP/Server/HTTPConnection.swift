import Base
import Reactor
import TLS

/// One connection, of a server or of a WebSocket's client: moves bytes between its transport and the
/// protocol spoken on it.
///
/// The loop holds it as long as it is watched. Everything runs on the thread of the loop, and no
/// access to the state lasts while anything else runs: checking each would find nothing.
final class HTTPConnection: EventHandler, TimerHandler {
    let service: HTTPService
    /// As the socket or the header of a proxy has it.
    @exclusivity(unchecked) var peer: SocketAddress
    let isEncrypted: Bool
    /// What the protocol has to say; leaves by `flush`.
    @exclusivity(unchecked) var output: [UInt8] = []

    @exclusivity(unchecked) var transport: Transport?
    /// What a proxy says first, until it is read.
    @exclusivity(unchecked) var proxyHeader: ProxyHeader?
    /// Of bodies that are not answered yet.
    @exclusivity(unchecked) private var heldBytes = 0
    /// Nil until the handshake has agreed on it.
    @exclusivity(unchecked) private(set) var spoken: (any SpokenProtocol)?
    /// As what it is counted.
    @exclusivity(unchecked) private var counted: HTTPFigures.Spoken?
    @exclusivity(unchecked) private var watch: Watch?
    @exclusivity(unchecked) private var interest = Interest.readable
    @exclusivity(unchecked) private var timer: TimerID?
    @exclusivity(unchecked) private var timerDeadline: Duration?
    @exclusivity(unchecked) private var written = 0
    @exclusivity(unchecked) private var isOpen = false
    /// What was answered waits for the end of the turn.
    @exclusivity(unchecked) private var isWaiting = false
    /// OpenSSL holds bytes that the protocol did not want yet.
    @exclusivity(unchecked) private var hasUnread = false
    /// It was already put off to the next turn to read on.
    @exclusivity(unchecked) private var isReadingOn = false
    /// OpenSSL has to answer the peer before it reads on, and there is no room for that.
    @exclusivity(unchecked) private var readsAfterWriting = false
    /// Until when a peer has to take our last words.
    @exclusivity(unchecked) private var endDeadline: Duration?

    /// With more than that waiting for the peer, a connection is congested.
    static let outputMark = 128 * 1024
    private static let readsPerEvent = 4
    /// The cookie of a timer that asks for what was read ahead.
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

    /// Begins to be served. A connection that cannot be watched is closed.
    func start() {
        guard open() else { return }
        count(as: .handshake)
        if proxyHeader == nil, !isEncrypted { speak(HTTP1Server(on: self)) }
        setTimer(spoken?.deadline ?? service.handshakeDeadline)
    }

    /// Goes on with what a client has opened; `rest` came behind the answer to its handshake.
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

    /// The loop may end before the connection does. Exchanges keep it, so what is still held was of
    /// bodies that never became whole.
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

    /// Most peers say nothing before they have their answer, so the loop is told only when one does
    /// that nothing is to be read now.
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

/// What the requests of the connection hold.
extension HTTPConnection {
    /// Room for a piece of a body; a peer is refused it that has sent too much for now.
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
                // What there is to read would be told of in every turn, and stay.
                readsAfterWriting = true
                return setInterest(.writable)
            case .failed: return lose()
            case .closed, nil: return close()
            }
            // The socket is asked again by its next event, which is cheaper than a call in vain.
            guard transport?.hasPending == true else { return }
        }
        readOn()
    }

    /// OpenSSL holds more, and the socket will not say so; others come first.
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

    /// Writes what there is, and then waits for whatever is to come next.
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
        // The loop may let go of it here, and its protocol needs it to the end.
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

    /// One timer follows whatever deadline is the next.
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

/// What is spoken on it asks and tells.
extension HTTPConnection {
    var now: Duration { service.now }
    var bufferedBytes: Int { output.count - written }
    var sendQueue: SendQueue { service.sendQueue }

    /// What is spoken changes between two events.
    func speak(_ successor: any SpokenProtocol) {
        spoken = successor
        count(as: type(of: successor).spoken)
    }

    private func count(as new: HTTPFigures.Spoken?) {
        guard new != counted else { return }
        service.figures.changed(from: counted, to: new)
        counted = new
    }

    /// A peer that reads slowly, but does, must not make the output grow for ever.
    private func forgetWritten() {
        guard written > output.count / 2 else { return }
        output.removeFirst(written)
        written = 0
    }
}
