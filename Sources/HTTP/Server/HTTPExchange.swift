package import Base
package import Reactor

/// A request on its way to its answer.
package final class HTTPExchange {
    /// Empty once it was answered.
    @exclusivity(unchecked) package private(set) var head: RequestHead
    package let body: [UInt8]
    /// What a log calls that which was asked for.
    @exclusivity(unchecked) package var label: StaticString = ""
    /// Zero in HTTP/1.1, where one request is answered after the other.
    let stream: HTTP2StreamID
    let connection: HTTPConnection
    /// When it was read whole.
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
    /// Where it came in.
    package var listener: HTTPListenerTerms { connection.service.terms }
    /// Who connected to a Unix socket; nil for any other, and when the connection is gone.
    package var peerCredentials: PeerCredentials? { connection.peerCredentials }
    /// Who sent the request, as far as the listener trusts what proxies say; nil for a client
    /// without an address. To be asked before the answer.
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

    /// An answer to be filled, in memory that was used before.
    package func answer(_ status: Int) -> ResponseHead {
        ResponseHead(status: status, fields: connection.service.pool.takeFields())
    }

    /// Once. Nothing happens when the sender is gone.
    package func respond(_ head: consuming ResponseHead, body: [UInt8] = []) {
        let service = connection.service
        if head.status >= 400 { service.figures.note(label, head.status) }
        service.access?(
            HTTPAccess(
                method: self.head.method, label: label, status: head.status,
                bytesReceived: self.body.count, bytesSent: body.count, client: client))
        connection.respond(to: self, head, body)
        var used = ResponseFields()
        swap(&used, &head.fields)
        service.pool.giveBack(consume used)
    }

    /// Gives back the memory of the head, for the next one.
    func releaseHead() {
        var released = RequestHead()
        swap(&released, &head)
        connection.service.pool.giveBack(consume released)
    }
}
