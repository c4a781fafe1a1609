import Base
package import System

/// Gets either `opened` or `failed`, once.
package protocol WebSocketClientHandler: WebSocketHandler {
    func failed(_ failure: ClientFailure)
}

/// Opens one WebSocket by a `ClientExchange`. Then an `HTTPConnection` takes over.
///
/// Everything runs on the thread of the loop.
// Unchecked: it is used only on the thread of the loop.
package final class WebSocketClient: @unchecked Sendable {
    private let options: WebSocketClientOptions
    private let loop: EventLoop
    private let opening: WebSocketOpening
    private var handler: (any WebSocketClientHandler)?
    private var exchange: ClientExchange?

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
        let exchange = ClientExchange(options.route, on: loop, for: client)
        client.exchange = exchange
        exchange.start()
        return client
    }

    /// Gives up, unless it is open already.
    package func cancel() { exchange?.cancel() }

    private func end() -> (any WebSocketClientHandler)? {
        exchange = nil
        return handler.take()
    }
}

extension WebSocketClient: ClientExchangeHandler {
    func request() -> [UInt8] {
        let url = options.route.url
        return opening.request(host: url.authority, target: url.target, fields: options.fields)
    }

    func failed(_ failure: ClientFailure) { end()?.failed(failure) }

    func answered(
        _ answer: HTTP1AnswerReader.Answer, over transport: consuming Transport,
        to peer: SocketAddress
    ) {
        guard answer.status == 101, answer.isHTTP11 else {
            let retryAfter = answer.retryAfter.map { Duration.seconds($0) }
            return failed(.refused(status: answer.status, retryAfter: retryAfter))
        }
        var fields = WebSocketFields()
        answer.fields.forEach { fields.add(name: $0, value: $1) }
        do throws(WebSocketRefusal) {
            let subprotocol = try opening.subprotocol(answered: fields, status: answer.status)
            guard let handler = end() else { return }
            let connection = HTTPConnection(transport, peer, HTTPService(forClientOn: loop))
            let socket = WebSocketConnection(
                options.terms, maskingKeys: { .random(in: .min ... .max) }, handler,
                on: connection)
            connection.start(socket, subprotocol: subprotocol, received: answer.rest)
        } catch {
            failed(.badAnswer(error))
        }
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
