import Crypto
import System

/// One connection of a server or of a WebSocket client: it moves bytes between its transport and
/// the protocol spoken on it.
///
/// The loop keeps it alive while it is watched. Everything runs on the thread of the loop.
/// Exclusivity checks are off: no access lasts while other code runs.
final class HTTPConnection: EventHandler, TimerHandler {
    let service: HTTPService
    /// The other end, as the socket or the PROXY header names it.
    @exclusivity(unchecked) var peer: SocketAddress
    let isEncrypted: Bool
    /// What the protocol has to send, by `flush`.
    @exclusivity(unchecked) var output: [UInt8] = []

    @exclusivity(unchecked) var transport: Transport?
    /// Nil once the PROXY header was read, or if none is expected.
    @exclusivity(unchecked) var proxyHeader: ProxyHeader?
    /// Bytes of bodies that are not answered yet.
    @exclusivity(unchecked) private var heldBytes = 0
    /// The longest of those that its handler has allowed, if that is more than usual.
    @exclusivity(unchecked) private var longBody = 0
    /// Nil until the handshake has chosen it.
    @exclusivity(unchecked) private(set) var spoken: (any SpokenProtocol)?
    /// The kind under which the connection is counted.
    @exclusivity(unchecked) private var counted: HTTPFigures.Spoken?
    @exclusivity(unchecked) private(set) var watch = ConnectionWatch()
    @exclusivity(unchecked) private var written = 0
    @exclusivity(unchecked) private var isOpen = false
    /// Whether the connection is in the send queue of this turn.
    @exclusivity(unchecked) private var isWaiting = false
    /// OpenSSL holds bytes that the protocol did not want yet.
    @exclusivity(unchecked) var hasUnread = false
    /// A timer to continue reading is set.
    @exclusivity(unchecked) var isReadingOn = false
    /// The peer sends no more, and waits for an answer.
    @exclusivity(unchecked) private var isHalfClosed = false
    /// OpenSSL has to write before it can read on, and the socket has no room.
    @exclusivity(unchecked) var readsAfterWriting = false
    /// Whether OpenSSL has begun the handshake, which is not over.
    @exclusivity(unchecked) var isShakingHands = false
    /// Whether the connection waits for the turn of its handshake, and for nothing else.
    @exclusivity(unchecked) var waitsForTurn = false
    /// The peer has no more time for its handshake, but what it sent may not have had its turn.
    @exclusivity(unchecked) var isLate = false
    /// The time until which the peer has to read our last bytes.
    @exclusivity(unchecked) private var endDeadline: Duration?

    /// A connection with more unsent output than this is congested.
    static let outputMark = 128 * 1024
    /// The cookie of the timer that continues reading.
    static let readOnCookie: UInt64 = 1

    init(_ transport: consuming Transport, _ peer: SocketAddress, _ service: HTTPService) {
        self.service = service
        self.peer = peer
        isEncrypted = transport.isEncrypted
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
        guard let spoken else { return waitForHandshake() }
        watch.setTimer(spoken.deadline, self, service)
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
            watch.begin(descriptor, self, on: service.loop)
        else { return false }
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

    func ready(_ readiness: Readiness, of watch: WatchID) {
        // Nobody is left who could read the answer.
        if isHalfClosed, !readiness.isDisjoint(with: [.hangUp, .error]) { return close() }
        if proxyHeader != nil, !readProxyHeader() { return }
        if spoken == nil { return takeTurn() }
        var isReading = readiness.isReadable
        if readiness.isWritable {
            if readsAfterWriting { isReading = true }
            readsAfterWriting = false
            flush()
        }
        if isReading, !isHalfClosed { receive() }
    }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {
        sendQueue.lend(&output)
        spoken?.respond(to: exchange, head, body)
    }

    func stream(
        _ exchange: HTTPExchange, _ head: ResponseHead, _ terms: HTTPStreamTerms,
        to handler: any HTTPStreamHandler
    ) -> HTTPStream? {
        sendQueue.lend(&output)
        transport?.limitUntaken(terms.patience)
        return spoken?.stream(exchange, head, terms, to: handler)
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
        watch.timerFired()
        guard let spoken else { return handshakeExpired() }
        guard spoken.ending == nil else { return close() }
        spoken.expired()
        flush()
    }
}

/// The memory of bodies.
extension HTTPConnection {
    /// Reserves room for a piece of a body; false if the limit of the connection or the server is
    /// reached.
    func hold(_ count: Int) -> Bool {
        let limit = max(service.limits.heldBytesPerConnection, longBody)
        guard heldBytes + count <= limit, service.budget.reserve(count) else {
            return false
        }
        heldBytes += count
        return true
    }

    /// The handler takes a body of up to `limit` bytes, which may be more than a connection holds
    /// otherwise.
    func expectBody(upTo limit: Int) {
        if limit > Self.usualBody { longBody = max(longBody, limit) }
    }

    private static let usualBody = 1 << 20

    func releaseHeld(_ count: Int) {
        heldBytes -= count
        service.budget.giveBack(count)
    }
}

extension HTTPConnection {
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
                // A read may have failed behind its data. A flood is told, and the alert can be read.
                case .failed: return lose()
                case .closed, nil: return close()
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
        if isHalfClosed, !owesPeer { return close() }
        let isReading =
            !isHalfClosed && (readable || wishes.takesInput || watch.interest.isReadable)
        setInterest(
            Interest(
                readable: isReading && !readsAfterWriting, writable: writable || readsAfterWriting))
        if wishes.takesInput, hasUnread { readOn() }
        guard wishes.ending != nil else { return watch.setTimer(wishes.deadline, self, service) }
        let deadline = endDeadline ?? service.now + service.limits.patience.body
        endDeadline = deadline
        watch.setTimer(deadline, self, service)
    }

    private var owesPeer: Bool { bufferedBytes > 0 || spoken?.owesAnswer == true }

    /// The peer has said that it sends no more. It may still read (RFC 9846 section 6.1).
    func inputEnded() {
        guard owesPeer else { return close() }
        (isHalfClosed, hasUnread) = (true, false)
        setInterest(watch.interest.subtracting(.readable))
    }

    func end(_ ending: ConnectionEnding) {
        // A peer of TLS may send records whenever it wants, such as a KeyUpdate. Closing would answer
        // them with a reset, and what the socket still holds of the last answer would be lost.
        if ending == .linger || isEncrypted, let transport = transport.take() {
            let patience = service.limits.patience
            watch.end(on: service.loop)
            LingeringClose.begin(
                transport.finish(), on: service.loop, atMost: patience.lingeringBytes,
                within: Interval(patience.lingering), besides: service.limits.lingering)
        }
        close()
    }

    /// The peer may get to read an alert of ours if it is still sending.
    func lose() {
        if let flood = transport?.flood { service.reportFlood(flood.word, of: self) }
        if transport?.hasOwnRecords == true { end(.linger) } else { close() }
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        // The loop may free the connection in here, and its protocol needs it to the end.
        withExtendedLifetime(self) {
            watch.end(on: service.loop)
            watch.cancelTimer(on: service.loop)
            if waitsForTurn {
                waitsForTurn = false
                service.handshakes.leave(self)
            }
            if let transport = transport.take() { _ = transport.finish() }
            spoken.take()?.closed()
            service.closed()
            count(as: nil)
        }
    }

    func waitForHandshake() { watch.setTimer(service.handshakeDeadline(), self, service) }

    func setInterest(_ interest: Interest) { watch.setInterest(interest, on: service.loop) }
}

extension HTTPConnection: QueuedSender {
    func flushNow() {
        isWaiting = false
        flush()
    }
}

/// What the protocol on the connection calls.
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
        if isShakingHands {
            isShakingHands = false
            service.handshakes.handshakeEnded()
        }
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
