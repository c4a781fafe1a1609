package import Reactor

/// A request on its way to its answer.
package final class HTTPExchange {
    package let head: RequestHead
    package let body: [UInt8]
    /// The other end of the connection, which may be a proxy.
    package let peer: SocketAddress
    package let isEncrypted: Bool
    private weak var connection: ServerConnection?

    init(
        _ head: consuming RequestHead, body: [UInt8], peer: SocketAddress, isEncrypted: Bool,
        on connection: ServerConnection
    ) {
        self.head = head
        self.body = body
        self.peer = peer
        self.isEncrypted = isEncrypted
        self.connection = connection
    }

    /// Once. Nothing happens when the connection is gone.
    package func respond(_ head: ResponseHead, body: [UInt8] = []) {
        connection?.respond(to: self, head, body)
    }
}
