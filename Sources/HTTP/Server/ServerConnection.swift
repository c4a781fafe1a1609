import Base
import Reactor

/// One connection of a server: moves bytes between its transport, the parser and the handler.
///
/// The loop holds it as long as it is watched. Everything runs on the thread of the loop.
final class ServerConnection: EventHandler, TimerHandler {
    private enum Phase {
        case handshake
        case serving
        /// All that is left is to write what is there; then the connection ends that way.
        case ending(HTTP1Connection.Continuation)
        case closed
    }

    let service: HTTPService
    private let peer: SocketAddress
    private var transport: Transport?
    private var watch: Watch?
    private var timer: TimerID?
    private var timerDeadline: Duration?
    private var phase: Phase

    private var parser: HTTP1Parser
    private var life: HTTP1Connection
    private var body: [UInt8] = []
    private var exchange: HTTPExchange?
    /// What came behind a request that is not answered yet.
    private var held: [UInt8] = []
    private var isFeeding = false
    private var output: [UInt8] = []
    private var written = 0

    /// As much as a peer that does not read may leave with us.
    private static let outputLimit = 256 * 1024
    private static let readsPerEvent = 4
    /// The cookie of a timer that asks for what was read ahead.
    private static let readOn: UInt64 = 1

    init(_ transport: consuming Transport, _ peer: SocketAddress, _ service: HTTPService) {
        self.service = service
        self.peer = peer
        phase = transport.isEncrypted ? .handshake : .serving
        parser = HTTP1Parser(limits: service.limits.http)
        life = HTTP1Connection(patience: service.limits.patience, at: service.now)
        self.transport = consume transport
    }

    /// Begins to be served. A connection that cannot be watched is closed.
    func start() {
        guard let descriptor = transport?.descriptor,
            let watch = try? service.loop.watch(descriptor, for: .readable, self)
        else { return }
        self.watch = watch
        service.opened()
        setTimer()
    }

    func ready(_ readiness: Readiness, of watch: Watch) {
        if case .handshake = phase {
            shakeHands()
        } else {
            if readiness.contains(.writable) { flush() }
            if readiness.contains(.readable) { receive() }
        }
        setTimer()
    }

    func drain() {
        life.stop()
        if life.isIdle { close() }
    }

    func timerFired(_ cookie: UInt64) {
        if cookie == Self.readOn {
            receive()
            return setTimer()
        }
        timer = nil
        timerDeadline = nil
        if case .handshake = phase { return close() }
        switch life.expired(at: service.now) {
        case .nothing: break
        case .close: close()
        case .refuse(let refusal): refuse(refusal)
        }
        setTimer()
    }
}

/// Reading.
extension ServerConnection {
    private func shakeHands() {
        switch transport?.handshake() {
        case .bytes:
            phase = .serving
            setInterest(.readable)
            // The first request may have come with the end of the handshake.
            if transport?.hasPending == true { receive() }
        case .wantsRead: setInterest(.readable)
        case .wantsWrite: setInterest(.writable)
        case .closed, .failed, nil: close()
        }
    }

    private func receive() {
        for _ in 0..<Self.readsPerEvent {
            guard case .serving = phase, exchange == nil else { return }
            var buffer = service.scratch.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                feed(service.scratch.span.extracting(0..<count))
                flush()
            case .wantsRead, .wantsWrite: return
            case .closed, .failed, nil: return close()
            }
            // The socket is asked again by its next event, which is cheaper than a call in vain.
            guard transport?.hasPending == true else { return }
        }
        // OpenSSL holds more, and the socket will not say so; others come first.
        _ = service.loop.schedule(after: Interval(.zero), self, cookie: Self.readOn)
    }

    /// Reads requests as long as they are answered at once; `respond` then leaves the rest to this.
    private func feed(_ input: Span<UInt8>) {
        isFeeding = true
        defer { isFeeding = false }
        var position = 0
        while case .serving = phase, exchange == nil {
            if position < input.count { life.requestBegan(at: service.now) }
            switch parser.next(in: input, from: &position) {
            case .needsMore: return
            case .head:
                life.headRead(parser.head, at: service.now)
                parser.bodyLimit = service.handler.bodyLimit(for: parser.head)
            case .continueExpected:
                ResponseHead.http1Continue.withUTF8Buffer { output.append(contentsOf: $0) }
            case .body(let range): body.append(contentsOf: input.array(range))
            case .end:
                handOver()
                if exchange != nil { held = input.array(position..<input.count) }
            case .http2Preface: refuse(.unsupportedVersion)
            case .refused(let refusal): refuse(refusal)
            }
        }
    }

    private func handOver() {
        life.requestEnded()
        let exchange = HTTPExchange(
            parser.takeHead(), body: body, peer: peer,
            isEncrypted: transport?.isEncrypted ?? false, on: self)
        body = []
        self.exchange = exchange
        service.handler.handle(exchange)
        // Not answered at once: nothing more is read until it is.
        if self.exchange != nil { setInterest([]) }
    }
}

/// Writing.
extension ServerConnection {
    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        write(head, body, isHEAD: exchange.head.method == .head)
        let next = life.answered(hasUnreadInput: false, at: service.now)
        guard case .nextRequest = next else {
            phase = .ending(next)
            return flush()
        }
        // Answers to requests that came together leave together.
        if isFeeding { return }
        let rest = held
        held = []
        feed(rest.span)
        flush()
        setTimer()
    }

    private func refuse(_ refusal: HTTPRefusal) {
        let (head, body) = service.handler.answer(to: refusal)
        write(head, body, isHEAD: false)
        phase = .ending(life.answered(hasUnreadInput: true, at: service.now))
        flush()
    }

    private func write(_ head: ResponseHead, _ body: [UInt8], isHEAD: Bool) {
        head.appendHTTP1(
            to: &output, contentLength: body.count, life.persistence, date: service.date)
        if !isHEAD { output.append(contentsOf: body) }
    }

    private func flush() {
        while written < output.count {
            switch transport?.write(output, from: written) {
            case .bytes(let count): written += count
            case .wantsRead: return setInterest(.readable)
            case .wantsWrite:
                let isTooMuch = output.count - written > Self.outputLimit
                return setInterest(isTooMuch ? .writable : [.readable, .writable])
            case .closed, .failed, nil: return close()
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= 4_096)
        written = 0
        if case .ending(let continuation) = phase {
            end(continuation)
        } else if exchange == nil {
            setInterest(.readable)
        }
    }
}

/// The end, and what leads to it.
extension ServerConnection {
    private func end(_ continuation: HTTP1Connection.Continuation) {
        guard case .linger = continuation, let transport = transport.take() else { return close() }
        let patience = service.limits.patience
        if let watch { service.loop.unwatch(watch) }
        LingeringClose.begin(
            transport.finish(), on: service.loop, atMost: patience.lingeringBytes,
            within: Interval(patience.lingering))
        close()
    }

    private func close() {
        if case .closed = phase { return }
        phase = .closed
        exchange = nil
        if let watch { service.loop.unwatch(watch) }
        watch = nil
        if let timer { service.loop.cancel(timer) }
        timer = nil
        if let transport = transport.take() { _ = transport.finish() }
        service.closed()
    }

    private func setInterest(_ interest: Interest) {
        if let watch { service.loop.setInterest(interest, of: watch) }
    }

    /// One timer follows whatever deadline is the next.
    private func setTimer() {
        if case .closed = phase { return }
        var deadline = life.deadline
        if case .handshake = phase { deadline = timerDeadline ?? service.handshakeDeadline }
        guard let deadline else { return }
        guard deadline != timerDeadline else { return }
        timerDeadline = deadline
        let interval = Interval(deadline - service.now)
        if let timer, service.loop.reschedule(timer, after: interval) { return }
        timer = service.loop.schedule(after: interval, self)
    }
}
