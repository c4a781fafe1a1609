import Base

/// HTTP/1.1 on a connection: one request after the other.
///
/// Its connection owns and calls it, and therefore always exists here. Exclusivity checks are off:
/// no access lasts while a handler runs.
final class HTTP1Server: HTTPResponder {
    static let spoken = HTTPFigures.Spoken.http1

    private unowned(unsafe) let connection: HTTPConnection
    /// It is allocated separately, because a property of a class would be copied at each use. No
    /// handler is called while it is accessed.
    private let parser: UnsafeMutablePointer<HTTP1Parser>
    @exclusivity(unchecked) private var life: HTTP1Connection
    @exclusivity(unchecked) private var body: [UInt8] = []
    /// The exchange without an answer yet. The handler that will answer it holds it.
    @exclusivity(unchecked) private var awaited: ObjectIdentifier?
    /// Input after a request that is not answered yet, or after many whose answers wait to be sent.
    @exclusivity(unchecked) private var held: [UInt8] = []
    @exclusivity(unchecked) private var isReceiving = false
    /// No byte has come yet.
    @exclusivity(unchecked) private var isFresh = true
    @exclusivity(unchecked) private(set) var ending: ConnectionEnding?
    /// Takes over the connection after an upgrade.
    @exclusivity(unchecked) private var successor: WebSocketConnection?

    var service: HTTPService { connection.service }

    init(on connection: HTTPConnection) {
        self.connection = connection
        parser = .allocate(capacity: 1)
        parser.initialize(to: HTTP1Parser(limits: connection.service.limits.http))
        life = HTTP1Connection(
            patience: connection.service.limits.patience, at: connection.service.now)
    }

    deinit { parser.deinitialize(count: 1).deallocate() }

    var deadline: Duration? { life.deadline }
    /// A peer that does not read its answers gets no further requests read.
    var takesInput: Bool { canGoOn && held.isEmpty && !connection.isCongested }
    private var canGoOn: Bool { awaited == nil && ending == nil && successor == nil }

    func receive(_ input: inout MutableSpan<UInt8>) {
        let isFirst = isFresh && !input.isEmpty
        isFresh = isFresh && !isFirst
        guard isFirst, input[0] == UInt8(ascii: "{"),
            let handler = service.handler.lineHandler(for: connection.peerCredentials)
        else { return receive(input.span) }
        let lines = LineConnection(on: connection, handler)
        connection.speak(lines)
        lines.open()
        lines.receive(&input)
    }

    /// Reads requests as long as they are answered at once.
    func receive(_ input: Span<UInt8>) {
        isReceiving = true
        defer { isReceiving = false }
        let service = service
        let now = service.now
        var position = 0
        while canGoOn {
            if position < input.count, parser.pointee.isBetweenRequests {
                life.requestBegan(at: now)
                parser.pointee.reuse(service.pool.takeHead())
            }
            switch parser.pointee.next(in: input, from: &position) {
            case .needsMore: return
            case .head:
                // This is a local, because each access to the property is a copy.
                let head = parser.pointee.head
                life.headRead(head, at: now)
                parser.pointee.bodyLimit = service.handler.bodyLimit(for: head)
            case .continueExpected:
                connection.output.append(contentsOf: ResponseHead.http1Continue)
            case .body(let range):
                guard connection.hold(range.count) else {
                    refuse(.overloaded)
                    return
                }
                body.append(piece: range, of: input)
            case .end:
                handOver()
                guard awaited != nil || successor != nil || connection.isCongested else { continue }
                held = input.array(position..<input.count)
                if let successor { handOn(to: successor) }
                return
            case .http2Preface: refuse(.unsupportedVersion)
            case .refused(let refusal): refuse(refusal)
            }
        }
    }

    /// Requests that waited for room may be read now.
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
        guard awaited == ObjectIdentifier(exchange) else { return }
        awaited = nil
        append(head, body, withoutBody: exchange.head.method == .head)
        exchange.releaseHead()
        goOn(life.answered(hasUnreadInput: false, at: service.now))
        // Answers to requests that came together leave together.
        if isReceiving { return }
        if !held.isEmpty { receiveHeld() }
        connection.flushLater()
    }

    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance) {
        guard awaited == ObjectIdentifier(exchange) else { return }
        awaited = nil
        exchange.releaseHead()
        connection.output.append(contentsOf: acceptance.answer)
        let socket = acceptance.connection(on: connection)
        successor = socket
        connection.speak(socket)
        socket.open(subprotocol: acceptance.subprotocol)
        // The loop's request to stop came while this was still HTTP.
        if service.loop.isDraining { socket.stop() }
        if isReceiving { return }
        handOn(to: socket)
        connection.flush()
    }

    /// The bytes after the request are WebSocket frames.
    private func handOn(to socket: WebSocketConnection) {
        var rest = held
        held = []
        var bytes = rest.mutableSpan
        socket.receive(&bytes)
    }

    private func handOver() {
        life.requestEnded()
        var whole: [UInt8] = []
        swap(&whole, &body)
        let exchange = HTTPExchange(parser.pointee.takeHead(), body: whole, on: connection)
        awaited = ObjectIdentifier(exchange)
        service.handler.handle(exchange)
    }

    private func refuse(_ refusal: HTTPRefusal) {
        service.figures.countRefusal(refusal)
        connection.releaseHeld(body.count)
        body = []
        // A length that fits no number is refused before the head is complete.
        let isHeadWhole = parser.pointee.head.path.upperBound <= parser.pointee.head.bytes.count
        let (head, body) =
            refusal == .bodyTooLarge && isHeadWhole
            ? service.handler.answer(toOversized: parser.pointee.head)
            : service.handler.answer(to: refusal)
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
