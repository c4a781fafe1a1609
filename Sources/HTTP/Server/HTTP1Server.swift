import Base

/// HTTP/1.1 on a connection: one request after the other.
final class HTTP1Server: ServerProtocol {
    private unowned let connection: ServerConnection
    private var parser: HTTP1Parser
    private var life: HTTP1Connection
    private var body: [UInt8] = []
    private var exchange: HTTPExchange?
    /// What came behind a request that is not answered yet, or behind many whose answers wait.
    private var held: [UInt8] = []
    private var isReceiving = false
    private(set) var ending: ConnectionEnding?

    private var service: HTTPService { connection.service }

    init(on connection: ServerConnection) {
        self.connection = connection
        parser = HTTP1Parser(limits: connection.service.limits.http)
        life = HTTP1Connection(
            patience: connection.service.limits.patience, at: connection.service.now)
    }

    var deadline: Duration? { life.deadline }
    /// Whoever does not take the answers to earlier requests has no further ones read.
    var takesInput: Bool { canGoOn && held.isEmpty && !connection.isCongested }
    private var canGoOn: Bool { exchange == nil && ending == nil }

    /// Reads requests as long as they are answered at once.
    func receive(_ input: Span<UInt8>) {
        isReceiving = true
        defer { isReceiving = false }
        var position = 0
        while canGoOn {
            if position < input.count { life.requestBegan(at: service.now) }
            switch parser.next(in: input, from: &position) {
            case .needsMore: return
            case .head:
                life.headRead(parser.head, at: service.now)
                parser.bodyLimit = service.handler.bodyLimit(for: parser.head)
            case .continueExpected:
                connection.output.append(contentsOf: ResponseHead.http1Continue)
            case .body(let range): body.append(contentsOf: input.extracting(range))
            case .end:
                handOver()
                guard exchange != nil || connection.isCongested else { continue }
                held = input.array(position..<input.count)
                return
            case .http2Preface: refuse(.unsupportedVersion)
            case .refused(let refusal): refuse(refusal)
            }
        }
    }

    /// Every answer is appended as it comes; those that waited for room may come now.
    func produce() {
        if canGoOn, !held.isEmpty { receiveHeld() }
    }

    private func receiveHeld() {
        let rest = held
        held = []
        receive(rest.span)
    }

    func expired() {
        switch life.expired(at: service.now) {
        case .nothing: break
        case .close: ending = .close
        case .refuse(let refusal): refuse(refusal)
        }
    }

    func stop() {
        life.stop()
        if life.isIdle { ending = .close }
    }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        append(head, body, withoutBody: exchange.head.method == .head)
        parser.reuse(exchange.releaseHead())
        goOn(life.answered(hasUnreadInput: false, at: service.now))
        // Answers to requests that came together leave together.
        if isReceiving { return }
        receiveHeld()
        connection.flush()
    }

    private func handOver() {
        life.requestEnded()
        let exchange = HTTPExchange(parser.takeHead(), body: body, on: connection, self)
        body = []
        self.exchange = exchange
        service.handler.handle(exchange)
    }

    private func refuse(_ refusal: HTTPRefusal) {
        let (head, body) = service.handler.answer(to: refusal)
        append(head, body, withoutBody: false)
        goOn(life.answered(hasUnreadInput: true, at: service.now))
    }

    private func append(_ head: ResponseHead, _ body: [UInt8], withoutBody: Bool) {
        head.appendHTTP1(
            to: &connection.output, contentLength: body.count, life.persistence,
            date: service.date)
        if !withoutBody { connection.output.append(contentsOf: body) }
    }

    private func goOn(_ continuation: HTTP1Connection.Continuation) {
        switch continuation {
        case .nextRequest: break
        case .close: ending = .close
        case .linger: ending = .linger
        }
    }
}
