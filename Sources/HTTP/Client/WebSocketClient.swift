import Base
package import System

/// Gets either `opened` or `failed`, once.
package protocol WebSocketClientHandler: WebSocketHandler {
    func failed(_ failure: ClientFailure)
}

/// Opens one WebSocket. Once it is open, an `HTTPConnection` takes over.
///
/// The loop keeps it alive while it works. Everything runs on the thread of the loop.
package final class WebSocketClient {
    private let options: WebSocketClientOptions
    private let loop: EventLoop
    private let opening: WebSocketOpening
    private var handler: (any WebSocketClientHandler)?
    private weak var connection: ClientConnection?
    private var reader = HTTP1AnswerReader()

    private init(
        _ options: WebSocketClientOptions, on loop: EventLoop,
        _ handler: any WebSocketClientHandler
    ) {
        self.options = options
        self.loop = loop
        self.handler = handler
        let key = (0..<WebSocketOpening.keyLength).map { _ in UInt8.random(in: .min ... .max) }
        opening = WebSocketOpening(key: key.span, subprotocols: options.terms.subprotocols)
    }

    /// Begins to connect. Call it on the thread of the loop, or before that runs.
    @discardableResult
    package static func connect(
        _ options: WebSocketClientOptions, on loop: EventLoop,
        _ handler: any WebSocketClientHandler
    ) -> WebSocketClient {
        let client = WebSocketClient(options, on: loop, handler)
        client.start()
        return client
    }

    /// Gives up, unless it is open already.
    package func cancel() { connection?.cancel() }

    private func start() {
        let connection = ClientConnection(
            options.route, on: loop,
            sending: opening.request(
                host: options.url.authority, target: options.url.target, fields: options.fields),
            self)
        self.connection = connection
        connection.start()
    }
}

/// From the answer to an open WebSocket.
extension WebSocketClient: ClientConnectionHandler {
    func failed(_ failure: ClientFailure) { handler.take()?.failed(failure) }

    func received(_ input: Span<UInt8>, over connection: ClientConnection) -> Bool {
        do throws(HTTP1AnswerReader.Broken) {
            guard let answer = try reader.read(input) else { return true }
            upgraded(answer, connection)
        } catch {
            connection.fail(.unreadableAnswer)
        }
        return false
    }

    private func upgraded(_ answer: HTTP1AnswerReader.Answer, _ connection: ClientConnection) {
        guard answer.status == 101, answer.isHTTP11 else {
            let retryAfter = answer.retryAfter.map { Duration.seconds($0) }
            return connection.fail(.refused(status: answer.status, retryAfter: retryAfter))
        }
        var fields = WebSocketFields()
        answer.fields.forEach { fields.add(name: $0, value: $1) }
        do throws(WebSocketRefusal) {
            let subprotocol = try opening.subprotocol(answered: fields, status: answer.status)
            open(subprotocol, answer.rest, connection)
        } catch {
            connection.fail(.badAnswer(error))
        }
    }

    private func open(_ subprotocol: String?, _ rest: [UInt8], _ former: ClientConnection) {
        guard let handler = handler.take(), let transport = former.release() else { return }
        let connection = HTTPConnection(
            transport, former.peer, HTTPService(forClientOn: loop))
        let socket = WebSocketConnection(
            options.terms, maskingKeys: { .random(in: .min ... .max) }, handler, on: connection)
        connection.start(socket, subprotocol: subprotocol, received: rest)
    }
}

extension HTTPService {
    /// The shared parts that the connection of a client needs: a read buffer and a send queue.
    convenience init(forClientOn loop: EventLoop) {
        self.init(
            on: loop, HTTPListenerTerms(), limits: Limits(), MemoryBudget(limit: 0),
            HandshakeDesk(on: loop, HandshakeLimits()), Unasked(), HTTPFigures(), report: { _ in },
            access: nil)
    }

    /// Never called: a client gets no requests.
    private final class Unasked: HTTPHandler {
        func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }
        func handle(_ exchange: HTTPExchange) {}
        func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
            (ResponseHead(status: refusal.status), [])
        }
    }
}
