import Crypto
import System

/// The handshake and all input after it.
extension HTTPConnection {
    private static let readsPerEvent = 4

    /// The handshake goes on when it is its turn, which may be now. While it waits, nothing but the
    /// end of the connection is reported.
    func takeTurn() {
        if waitsForTurn { close() } else { service.handshakes.add(self) }
    }

    /// The time limit begins anew with each message of the peer: while many shake hands at once, each
    /// waits for the others.
    func shakeHands() {
        guard beginTLS() else { return close() }
        let step = transport?.handshakeStep
        advanceHandshake()
        guard spoken == nil, let now = transport?.handshakeStep else { return }
        if now != step {
            isLate = false
            waitForHandshake()
        } else if isLate {
            close()
        }
    }

    /// What OpenSSL needs for a connection is made in a turn of its handshake: making it costs more
    /// than all else about a connection that waits. False if that cannot be.
    private func beginTLS() -> Bool {
        guard transport?.awaitsTLS == true else { return true }
        guard let certificates = service.terms.certificates else { return false }
        do throws(TLSError) {
            try transport?.beginTLS(certificates.context, service.handshakes.ciphers)
            isShakingHands = true
            service.handshakes.handshakeBegan()
        } catch {
            // Out of memory: this connection closes, but the next one may work.
            service.reportNoTransport(self)
            return false
        }
        return true
    }

    /// What the peer sent in time may have had to wait, or may wait now. A peer that sent nothing must
    /// not take a turn: thousands of them would take those of others.
    func handshakeExpired() {
        guard proxyHeader == nil, waitsForTurn || hasInput else { return close() }
        isLate = true
        if waitsForTurn { waitForHandshake() } else { takeTurn() }
    }

    private var hasInput: Bool {
        var buffer = service.scratch.extracting(0..<1).mutableSpan
        if case .bytes = transport?.peek(into: &buffer) { return true }
        return false
    }

    /// Only the peer's leaving is watched meanwhile: what it sends would be reported in every turn.
    func beginWaiting() {
        waitsForTurn = true
        setInterest(.leaving)
    }

    func endWaiting() {
        waitsForTurn = false
        setInterest(.readable)
    }

    /// Too many others wait.
    func giveUp() {
        waitsForTurn = false
        service.reportGivenUp(self)
        close()
    }

    private func advanceHandshake() {
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
        case .failed where transport?.isPlainHTTP == true: refusePlainHTTP()
        case .failed: lose()
        case .closed, nil: close()
        }
    }

    /// OpenSSL has read some of the request, so it is not known what it asks for.
    private func refusePlainHTTP() {
        service.figures.countRefusal(.withoutTLS)
        let (head, body) = service.handler.answer(to: .withoutTLS)
        var answer: [UInt8] = []
        head.appendHTTP1(
            to: &answer, contentLength: body.count, .close, dateLine: service.dateLine)
        answer += body
        if let failed = transport.take() { transport = Transport(plain: failed.finish()) }
        // It fits into the empty buffer of the socket.
        _ = transport?.write(answer, from: 0)
        end(.linger)
    }

    private func agreedProtocol() -> (any SpokenProtocol)? {
        guard transport?.applicationProtocol == .http2 else { return HTTP1Server(on: self) }
        return try? HTTP2Server(on: self)  // Out of memory: this connection closes.
    }

    func receive() {
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
            case .closed: return inputEnded()
            case nil: return close()
            }
            // Waiting for the next event is cheaper than a read that finds nothing.
            guard transport?.hasPending == true else { return }
        }
        readOn()
    }

    /// Continues in the next turn, after other connections: OpenSSL holds more, which the socket
    /// does not report.
    func readOn() {
        hasUnread = false
        guard !isReadingOn else { return }
        isReadingOn = true
        _ = service.loop.schedule(after: Interval(.zero), self, cookie: Self.readOnCookie)
    }

    /// Stops watching only when there was something to read: most peers send nothing before they
    /// have their answer, and changing the watch is a system call.
    private func stopReading() {
        hasUnread = transport?.hasPending == true
        if watch.interest.isReadable { setInterest(watch.interest.subtracting(.readable)) }
    }
}

/// The PROXY header at the start of a connection.
extension HTTPConnection {
    /// Returns whether reading can continue. A listener that expects a header serves no connection
    /// without one: otherwise anyone could claim any address.
    func readProxyHeader() -> Bool {
        let scratch = service.scratch
        var buffer = scratch.mutableSpan
        switch transport?.peek(into: &buffer) {
        case .bytes(let count):
            let seen = scratch.span.extracting(0..<count)
            guard let (taken, progress) = proxyHeader?.next(seen) else { return true }
            transport?.skip(taken, scratch)
            return finish(progress)
        case .wantsRead, .wantsWrite: return false
        case .closed, .failed, nil:
            close()
            return false
        }
    }

    private func finish(_ progress: ProxyHeader.Progress) -> Bool {
        switch progress {
        case .needsMore: return false
        case .malformed:
            close()
            return false
        case .client(let client):
            if let client { peer = client }
            proxyHeader = nil
            if !isEncrypted { speak(HTTP1Server(on: self)) }
            return true
        }
    }
}
