package import Reactor

/// Why clients are turned away who did nothing wrong.
package enum HTTPTrouble: Sendable {
    /// Called on the thread of a loop, for each connection; it returns soon.
    package typealias Report = @Sendable (HTTPTrouble) -> Void

    /// The machine has no descriptors or memory left; said once until a connection was taken.
    case cannotAccept(SocketAddress, ReactorError)
    /// A listener has as many connections as it may.
    case tooManyConnections(SocketAddress)
    /// There was no memory for a connection.
    case noTransport(SocketAddress)
}
