import Base

/// HTTP/1.1 on a connection: one request after the other.
///
/// Its connection owns and calls it, and therefore always exists here. Exclusivity checks are off:
/// no access lasts while a handler runs.
final class HTTP1Server: HTTPResponder {
    static let spoken = HTTPFigures.Spoken.http1
    /// So much is read during a stream, to notice when its reader is gone.
    private static let heldLimit = 16 * 1024

    private unowned(unsafe) let connection: HTTPConnection
    /// It is allocated separately, because a property of a class would be copied at each use. No
    /// handler is called while it is accessed. Nil before the first byte, and while a stream waits.
    @exclusivity(unchecked) private var parser: UnsafeMutablePointer<HTTP1Parser>?
    @exclusivity(unchecked) private var life: HTTP1Connection
    @exclusivity(unchecked) private var body: [UInt8] = []
    /// The exchange without an answer yet. The handler that will answer it holds it.
    @exclusivity(unchecked) private var awaited: ObjectIdentifier?
    /// The answer that is under way, if it is a stream.
    @exclusivity(unchecked) private var stream: HTTPStream?
    /// Input after a request that is not answered yet, or after many whose answers wait to be sent.
    @exclusivity(unchecked) private var held: [UInt8] = []
    /// The connection flushes afterwards.
    @exclusivity(unchecked) private var isReceiving = false
    /// No byte has come yet.
    @exclusivity(unchecked) private var isFresh = true
    @exclusivity(unchecked) private(set) var ending: ConnectionEnding?
    /// Takes over the connection after an upgrade.
    @exclusivity(unchecked) private var successor: WebSocketConnection?

    var service: HTTPService { connection.service }

    init(on connection: HTTPConnection) {
        self.connection = connection
        life = HTTP1Connection(
            patience: connection.service.limits.patience, at: connection.service.now)
    }

    deinit { freeParser() }

    private func makeParser() -> UnsafeMutablePointer<HTTP1Parser> {
        let made = UnsafeMutablePointer<HTTP1Parser>.allocate(capacity: 1)
        made.initialize(to: HTTP1Parser(limits: service.limits.http))
        parser = made
        return made
    }

    private func freeParser() { parser.take()?.deinitialize(count: 1).deallocate() }

    var deadline: Duration? { life.deadline }
    /// A peer that does not read its answers gets no further requests read.
    var takesInput: Bool {
        if stream != nil { return held.count < Self.heldLimit }
        return canGoOn && held.isEmpty && !connection.isCongested
    }
    var owesAnswer: Bool {
        // The reader of a stream without an end is gone.
        if let stream { return stream.terms.isOneAnswer }
        return awaited != nil
    }
    private var canGoOn: Bool {
        awaited == nil && stream == nil && ending == nil && successor == nil
    }

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
        guard stream == nil else { return held.append(contentsOf: input) }
        isReceiving = true
        defer { isReceiving = false }
        let service = service
        let now = service.now
        let parser = parser ?? makeParser()
        var position = 0
        while canGoOn {
            if position < input.count, parser.pointee.isBetweenRequests {
                life.requestBegan(at: now)
                parser.pointee.reuse(service.pool.takeHead())
            }
            switch parser.pointee.next(in: input, from: &position) {
            case .needsMore: return
            case .head:
                let limit = parser.inPlace { parser in
                    life.headRead(parser.head, at: now)
                    parser.bodyLimit = service.handler.bodyLimit(for: parser.head)
                    return parser.bodyLimit
                }
                connection.expectBody(upTo: limit)
            case .continueExpected:
                connection.output.append(contentsOf: ResponseHead.http1Continue)
            case .body(let range):
                guard connection.hold(range.count) else {
                    refuse(.overloaded)
                    return
                }
                body.append(piece: range, of: input)
            case .end:
                handOver(parser.pointee.takeHead())
                guard !canGoOn || connection.isCongested else { continue }
                held = input.array(position..<input.count)
                if let successor { handOn(to: successor) }
                return
            case .http2Preface: refuse(.unsupportedVersion)
            case .refused(let refusal): refuse(refusal)
            }
        }
    }

    /// All output was sent. Requests that waited for room, or for the end of a stream, may be read
    /// now.
    func produce() {
        if let stream {
            life.outputSent()
            isReceiving = true
            stream.sent()
            isReceiving = false
            // A stream that waits needs no parser.
            freeParser()
        }
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
        // Nobody reads the rest of a stream.
        case .close where stream != nil: connection.close()
        case .close: ending = .close
        case .refuse(let refusal): refuse(refusal)
        }
    }

    func stop() {
        life.stop()
        if life.isIdle { ending = .close }
        stream?.stop()
    }

    func closed() { stream.take()?.lost() }

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

    private func handOver(_ head: consuming RequestHead) {
        life.requestEnded()
        var whole: [UInt8] = []
        swap(&whole, &body)
        let exchange = HTTPExchange(head, body: whole, on: connection)
        awaited = ObjectIdentifier(exchange)
        service.handler.handle(exchange)
    }

    private func refuse(_ refusal: HTTPRefusal) {
        service.figures.countRefusal(refusal)
        connection.releaseHeld(body.count)
        body = []
        let requested = parser?.pointee.head ?? RequestHead()
        // A length that fits no number is refused before the head is complete.
        let isHeadWhole = requested.path.upperBound <= requested.bytes.count
        let (head, body) =
            refusal == .bodyTooLarge && isHeadWhole
            ? service.handler.answer(toOversized: requested)
            : service.handler.answer(to: refusal)
        append(head, body, withoutBody: false)
        goOn(life.answered(hasUnreadInput: true, at: service.now))
    }

    private func append(_ head: ResponseHead, _ body: [UInt8], withoutBody: Bool) {
        head.appendHTTP1(
            to: &connection.output, contentLength: body.count, life.persistence,
            dateLine: service.dateLine)
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

/// Answers that are streams.
extension HTTP1Server: HTTPStreamCarrier {
    var sendQueue: SendQueue { connection.sendQueue }

    func stream(
        _ exchange: HTTPExchange, _ head: ResponseHead, _ terms: HTTPStreamTerms,
        to handler: any HTTPStreamHandler
    ) -> HTTPStream? {
        guard awaited == ObjectIdentifier(exchange) else { return nil }
        awaited = nil
        life.streamBegan()
        var head = head
        if life.streamsInChunks { head.fields.append("Transfer-Encoding", "chunked") }
        head.appendHTTP1(
            to: &connection.output, contentLength: nil, life.persistence, dateLine: service.dateLine
        )
        let hasBody = exchange.head.method != .head
        exchange.releaseHead()
        if hasBody {
            life.outputWaits(until: service.now + terms.patience)
            stream = HTTPStream(0, terms, handler, on: self)
        } else {
            goOn(life.answered(hasUnreadInput: !held.isEmpty, at: service.now))
        }
        if !isReceiving { connection.flushLater() }
        return stream
    }

    func bufferedBytes(of stream: HTTPStream) -> Int { connection.bufferedBytes }

    func write(_ bytes: Span<UInt8>, to stream: HTTPStream) {
        sendQueue.lend(&connection.output)
        if life.streamsInChunks {
            connection.output.append(contentsOf: String(bytes.count, radix: 16).utf8)
            connection.output.append(contentsOf: Self.lineEnd)
        }
        connection.output.append(contentsOf: bytes)
        if life.streamsInChunks { connection.output.append(contentsOf: Self.lineEnd) }
        life.outputWaits(until: service.now + stream.terms.patience)
        if !isReceiving { connection.flushLater() }
    }

    func end(_ stream: HTTPStream) {
        self.stream = nil
        sendQueue.lend(&connection.output)
        if life.streamsInChunks { connection.output.append(contentsOf: Self.lastChunk) }
        goOn(life.answered(hasUnreadInput: !held.isEmpty, at: service.now))
        if !isReceiving { connection.flushLater() }
    }

    func giveUp(_ stream: HTTPStream) { connection.close() }

    private static let lineEnd: StaticString = "\r\n"
    private static let lastChunk: StaticString = "0\r\n\r\n"
}
