import Base

/// HTTP/2 on a connection: many requests at once.
///
/// Its connection owns and calls it, and therefore always exists here. Exclusivity checks are off:
/// no access lasts while a handler runs.
final class HTTP2Server: HTTPResponder {
    static let spoken = HTTPFigures.Spoken.http2

    private struct Request {
        let stream: HTTP2StreamID
        let head: RequestHead
        var body: [UInt8] = []
    }

    private unowned(unsafe) let connection: HTTPConnection
    private let session: HTTP2Session
    @exclusivity(unchecked) private var life: HTTP2Connection
    /// Requests whose bodies are incomplete. There are few, and most events concern the last one.
    @exclusivity(unchecked) private var requests: [Request] = []
    /// Answers that are streams.
    @exclusivity(unchecked) private var streams: [HTTPStream] = []
    /// The connection flushes afterwards.
    @exclusivity(unchecked) private var isReceiving = false
    @exclusivity(unchecked) private(set) var ending: ConnectionEnding?

    var service: HTTPService { connection.service }

    init(on connection: HTTPConnection) throws(HTTP2Fault) {
        let service = connection.service
        self.connection = connection
        session = try HTTP2Session(
            limits: service.limits.http, frameBuffers: service.frameBuffers, at: service.now)
        life = HTTP2Connection(patience: service.limits.patience2, at: service.now)
    }

    var deadline: Duration? { life.deadline }
    /// While too much output waits for the peer, its frames are not read: they would only cause
    /// more.
    var takesInput: Bool { ending == nil && !connection.isCongested }

    var owesAnswer: Bool {
        ending == nil && (life.owesAnswer || streams.contains { $0.terms.isOneAnswer })
    }

    func receive(_ input: Span<UInt8>) {
        isReceiving = true
        defer { isReceiving = false }
        handleEvents(of: input)
        life.received(isInHead: session.isInHead, at: service.now)
        produce()
    }

    private func handleEvents(of input: Span<UInt8>) {
        let session = session
        let now = service.now
        var position = 0
        while ending == nil {
            let event = session.next(in: input, from: &position, at: now)
            life.handle(event, at: now)
            if case .needsMore = event { break }
            handle(event, input)
        }
    }

    private func handle(_ event: HTTP2Event, _ input: Span<UInt8>) {
        switch event {
        case .needsMore, .lingering: break
        case .head(let stream):
            let limit = service.handler.bodyLimit(for: session.head)
            session.setBodyLimit(limit, on: stream)
            connection.expectBody(upTo: limit)
            requests.append(Request(stream: stream, head: session.takeHead()))
            session.reuse(service.pool.takeHead())
        case .continueExpected(let stream): session.respondContinue(to: stream)
        case .body(let stream, let range):
            session.consumed(range.count, on: stream)
            guard let index = index(of: stream) else { return }
            guard connection.hold(range.count) else { return refuse(stream, .overloaded) }
            requests[index].body.append(piece: range, of: input)
        case .end(let stream):
            guard let index = index(of: stream) else { return }
            let request = requests.remove(at: index)
            service.handler.handle(
                HTTPExchange(request.head, body: request.body, stream: stream, on: connection))
        case .refused(let stream, let refusal): refuse(stream, refusal)
        case .closed(let stream, _):
            forget(stream)
            take(stream)?.lost()
        case .leaving: stopStreams()
        case .failed(let failure):
            closed()
            if case .flood(let kind) = failure {
                service.reportFlood(kind.rawValue, of: connection)
            }
            ending = .linger
        }
    }

    func produce() {
        if connection.bufferedBytes == 0, !streams.isEmpty { noteSent() }
        session.produce(into: &connection.output, limit: HTTPConnection.outputMark)
        // Sending its last frame ends a stream, and an idle connection may get no other event.
        handleEvents(of: Span())
        if ending == nil, session.isFinished { ending = .close }
    }

    func expired() {
        while true {
            switch life.expired(at: service.now) {
            case .nothing: return produce()
            case .rest: session.rest()
            case .refuse(let stream): refuse(stream, .timeout)
            case .reset(let stream, let code):
                session.reset(stream, code)
                take(stream)?.lost()
            case .shutDown: session.shutDown()
            case .fail(let failure):
                session.fail(failure)
                closed()
                ending = .linger
            case .close: ending = .close
            }
        }
    }

    func stop() {
        session.announceShutdown()
        life.announcedShutdown(at: service.now)
        stopStreams()
        produce()
    }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {
        session.respond(to: exchange.stream, head, body: body, date: service.date)
        exchange.releaseHead()
        life.answered(exchange.stream, at: service.now)
        if !isReceiving { connection.flushLater() }
    }

    private func refuse(_ stream: HTTP2StreamID, _ refusal: HTTPRefusal) {
        service.figures.countRefusal(refusal)
        let (head, body) = answer(stream, refusal)
        forget(stream)
        session.respond(to: stream, head, body: body, date: service.date)
        life.answered(stream, at: service.now)
    }

    private func answer(
        _ stream: HTTP2StreamID, _ refusal: HTTPRefusal
    ) -> (ResponseHead, body: [UInt8]) {
        guard refusal == .bodyTooLarge, let index = index(of: stream) else {
            return service.handler.answer(to: refusal)
        }
        return service.handler.answer(toOversized: requests[index].head)
    }

    private func index(of stream: HTTP2StreamID) -> Int? {
        requests.lastIndex { $0.stream == stream }
    }

    private func forget(_ stream: HTTP2StreamID) {
        guard let index = index(of: stream) else { return }
        connection.releaseHeld(requests.remove(at: index).body.count)
    }
}

/// Answers that are streams.
extension HTTP2Server: HTTPStreamCarrier {
    var sendQueue: SendQueue { connection.sendQueue }

    func stream(
        _ exchange: HTTPExchange, _ head: ResponseHead, _ terms: HTTPStreamTerms,
        to handler: any HTTPStreamHandler
    ) -> HTTPStream? {
        let id = exchange.stream
        let hasBody = session.beginStream(id, head, date: service.date)
        exchange.releaseHead()
        if !isReceiving { connection.flushLater() }
        guard hasBody else {
            life.answered(id, at: service.now)
            return nil
        }
        life.streamBegan(id)
        life.outputWaits(on: id, until: service.now + terms.patience)
        let stream = HTTPStream(id, terms, handler, on: self)
        streams.append(stream)
        return stream
    }

    func bufferedBytes(of stream: HTTPStream) -> Int { session.waitingBytes(of: stream.id) }

    func write(_ bytes: Span<UInt8>, to stream: HTTPStream) {
        sendQueue.lend(&connection.output)
        session.write(bytes, to: stream.id)
        life.outputWaits(on: stream.id, until: service.now + stream.terms.patience)
        if !isReceiving { connection.flushLater() }
    }

    func end(_ stream: HTTPStream) {
        sendQueue.lend(&connection.output)
        session.end(stream.id)
        _ = take(stream.id)
        life.answered(stream.id, at: service.now)
        if !isReceiving { connection.flushLater() }
    }

    /// Other streams of the connection go on.
    func giveUp(_ stream: HTTPStream) {
        life.outputWaits(on: stream.id, until: service.now)
        expired()
        connection.flushLater()
    }

    func closed() {
        while let stream = streams.popLast() { stream.lost() }
    }

    private func stopStreams() {
        for stream in streams { stream.stop() }
    }

    /// The connection has sent everything that it got of the session.
    private func noteSent() {
        let wasReceiving = isReceiving
        isReceiving = true
        for stream in streams where stream.hasOutput && bufferedBytes(of: stream) == 0 {
            life.outputSent(on: stream.id, at: service.now)
            stream.sent()
        }
        isReceiving = wasReceiving
    }

    private func take(_ id: HTTP2StreamID) -> HTTPStream? {
        streams.firstIndex { $0.id == id }.map { streams.remove(at: $0) }
    }
}

extension [UInt8] {
    /// Most bodies come in one piece and then take no more memory than they need.
    mutating func append(piece: Range<Int>, of input: Span<UInt8>) {
        if isEmpty {
            self = input.array(piece)
        } else {
            append(contentsOf: input.extracting(piece))
        }
    }
}
