package import Base
package import Reactor

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

    deinit { connection.letGo(body.count) }

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
    package var age: Duration {
        .nanoseconds(connection.service.loop.now.nanoseconds - began.nanoseconds)
    }

    /// An empty answer in reused memory.
    package func answer(_ status: Int) -> ResponseHead {
        ResponseHead(status: status, fields: connection.service.pool.takeFields())
    }

    /// Answers the request; call it once. Does nothing if the sender is gone.
    package func respond(_ head: consuming ResponseHead, body: [UInt8] = []) {
        let service = connection.service
        if head.status >= 400 { service.figures.countFailure(label, head.status) }
        service.access?(
            HTTPAccess(
                method: self.head.method, label: label, status: head.status,
                bytesReceived: self.body.count, bytesSent: body.count, client: client))
        connection.respond(to: self, head, body)
        var used = ResponseFields()
        swap(&used, &head.fields)
        service.pool.giveBack(consume used)
    }

    /// Gives the memory of the head back for reuse.
    func releaseHead() {
        var released = RequestHead()
        swap(&released, &head)
        connection.service.pool.giveBack(consume released)
    }
}
