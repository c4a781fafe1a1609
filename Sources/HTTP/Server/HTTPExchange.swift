package import Reactor

/// A request on its way to its answer.
package final class HTTPExchange {
    /// Empty once it was answered.
    package private(set) var head: RequestHead
    package let body: [UInt8]
    /// The other end of the connection, which may be a proxy.
    package let peer: SocketAddress
    package let isEncrypted: Bool
    /// Zero in HTTP/1.1, where one request is answered after the other.
    let stream: HTTP2StreamID
    private(set) weak var responder: (any HTTPResponder)?

    init(
        _ head: consuming RequestHead, body: [UInt8], stream: HTTP2StreamID = 0,
        on connection: ServerConnection, _ responder: any HTTPResponder
    ) {
        self.head = head
        self.body = body
        self.stream = stream
        peer = connection.peer
        isEncrypted = connection.isEncrypted
        self.responder = responder
    }

    /// Gives back the memory of the head, for the next one.
    func releaseHead() -> RequestHead {
        var released = RequestHead()
        swap(&released, &head)
        return released
    }

    /// Once. Nothing happens when the sender is gone.
    package func respond(_ head: ResponseHead, body: [UInt8] = []) {
        responder?.respond(to: self, head, body)
    }
}
