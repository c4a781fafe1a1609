package import Base
package import System

/// Handles the requests of a server. All calls come on the loop of the connection.
package protocol HTTPHandler: AnyObject {
    /// The most bytes of body for this request; asked before any of it is read.
    func bodyLimit(for head: borrowing RequestHead) -> Int

    /// A complete request. Answer it once, now or later, on the same loop.
    func handle(_ exchange: HTTPExchange)

    /// The one place where a refusal becomes an answer.
    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8])

    /// The answer to a request whose body is too long.
    func answer(toOversized head: borrowing RequestHead) -> (ResponseHead, body: [UInt8])

    /// The handler of a connection whose first byte begins a JSON object; nil if only HTTP is
    /// served.
    func lineHandler(for peer: PeerCredentials?) -> (any LineHandler)?
}

extension HTTPHandler {
    package func answer(
        toOversized head: borrowing RequestHead
    ) -> (ResponseHead, body: [UInt8]) {
        answer(to: .bodyTooLarge)
    }

    package func lineHandler(for peer: PeerCredentials?) -> (any LineHandler)? { nil }
}

/// A request that needs an answer.
package final class HTTPExchange {
    /// Empty once it was answered.
    @exclusivity(unchecked) package private(set) var head: RequestHead
    package let body: [UInt8]
    /// The name of the requested resource in logs.
    @exclusivity(unchecked) package var label: StaticString = ""
    /// Zero in HTTP/1.1, which answers one request after the other.
    let stream: HTTP2StreamID
    let connection: HTTPConnection
    /// When it was read completely.
    private let began: Instant

    init(
        _ head: consuming RequestHead, body: consuming [UInt8], stream: HTTP2StreamID = 0,
        on connection: HTTPConnection
    ) {
        self.head = head
        self.body = body
        self.stream = stream
        self.connection = connection
        began = connection.service.loop.now
    }

    deinit { connection.releaseHeld(body.count) }

    /// The other end of the connection, which may be a proxy.
    package var peer: SocketAddress { connection.peer }
    /// The listener that accepted it.
    package var listener: HTTPListenerTerms { connection.service.terms }
    /// The process that connected to a Unix socket; nil for any other socket, and once the
    /// connection is gone.
    package var peerCredentials: PeerCredentials? { connection.peerCredentials }
    /// The client, as far as the listener trusts its proxies; nil for a client without an address.
    /// Ask for it before the answer.
    package var client: IPAddress? {
        var address: IPAddress?
        if case .ip(let ip, _) = peer { address = ip }
        let terms = connection.service.terms
        guard terms.isTrusted(address) else { return address }
        return ClientAddress.client(
            peer: address, isPeerTrusted: true, trusted: terms.trustedProxies,
            forwardedFor: head.fields.joinedValue(of: "x-forwarded-for"))
    }
    /// How long it has been waiting, in whole turns of the loop.
    package var age: Interval { Interval(from: began, to: connection.service.loop.now) }

    /// An empty answer in reused memory.
    package func answer(_ status: Int) -> ResponseHead {
        ResponseHead(status: status, fields: connection.service.pool.takeFields())
    }

    /// Answers the request; call it once. Does nothing if the sender is gone.
    package func respond(_ head: consuming ResponseHead, body: [UInt8] = []) {
        report(head.status, bytesSent: body.count)
        connection.respond(to: self, head, body)
        var used = ResponseFields()
        swap(&used, &head.fields)
        connection.service.pool.giveBack(consume used)
    }

    /// Answers with `head` and a body that is written later. Call it instead of `respond`, once,
    /// now or later.
    ///
    /// Nil if there is nobody to write a body to: the sender is gone or asked for the head only, or
    /// the server is about to stop. The handler is not called then.
    package func stream(
        _ head: ResponseHead, _ terms: HTTPStreamTerms, to handler: any HTTPStreamHandler
    ) -> HTTPStream? {
        guard !connection.service.loop.isDraining else {
            respond(head)
            return nil
        }
        report(head.status, bytesSent: 0)
        return connection.stream(self, head, terms, to: handler)
    }

    /// Counts the answer, before it takes the head.
    private func report(_ status: Int, bytesSent: Int) {
        let service = connection.service
        if status >= 400 { service.figures.countFailure(label, status) }
        service.access?(
            HTTPAccess(
                method: head.method, label: label, status: status,
                bytesReceived: body.count, bytesSent: bytesSent, client: client))
    }

    /// Gives the memory of the head back for reuse.
    func releaseHead() {
        var released = RequestHead()
        swap(&released, &head)
        connection.service.pool.giveBack(consume released)
    }
}

extension HTTPExchange {
    /// Answers with 101 and gives the connection to `handler`, or refuses a request that does not
    /// follow RFC 6455. Call it instead of `respond`, once, now or later.
    ///
    /// The caller has checked who may connect (Origin, credentials). `opened` is called before this
    /// returns, or never: then the client is gone, or was refused.
    package func upgrade(
        _ terms: WebSocketTerms, adding further: ResponseFields = ResponseFields(),
        to handler: any WebSocketHandler
    ) {
        var fields = WebSocketFields()
        head.fields.forEach { fields.add(name: $0, value: $1) }
        do throws(WebSocketRefusal) {
            let upgrade = try WebSocketUpgrade(
                fields, isGET: head.method == .get, isHTTP11: head.version == .http11,
                subprotocols: terms.subprotocols)
            connection.upgrade(self, by: WebSocketAcceptance(upgrade, further, terms, handler))
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ refusal: WebSocketRefusal) {
        var (head, body) = connection.service.handler.answer(to: refusal.answer)
        switch refusal {
        case .badMethod: head.fields.append("Allow", "GET")
        // RFC 6455 section 4.2.2, and RFC 9110 section 15.5.22, which requires the other two.
        case .badVersion:
            head.fields.append("Sec-WebSocket-Version", "13")
            head.fields.append("Upgrade", "websocket")
            head.fields.append("Connection", "Upgrade")
        default: break
        }
        respond(head, body: body)
    }
}

extension WebSocketRefusal {
    fileprivate var answer: HTTPRefusal {
        switch self {
        case .badMethod: .methodNotAllowed
        case .badVersion: .upgradeRequired
        default: .badUpgrade
        }
    }
}

/// A valid upgrade: the answer to it, and the handler of the new WebSocket.
struct WebSocketAcceptance {
    let answer: [UInt8]
    let subprotocol: String?
    private let terms: WebSocketTerms
    private let handler: any WebSocketHandler

    init(
        _ upgrade: WebSocketUpgrade, _ further: ResponseFields, _ terms: WebSocketTerms,
        _ handler: any WebSocketHandler
    ) {
        answer = upgrade.answer(with: further.text)
        subprotocol = upgrade.subprotocol
        self.terms = terms
        self.handler = handler
    }

    func connection(on carrier: HTTPConnection) -> WebSocketConnection {
        WebSocketConnection(terms, handler, on: carrier)
    }
}
