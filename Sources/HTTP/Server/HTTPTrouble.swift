package import Reactor

/// Why connections are not accepted, or are cut.
package enum HTTPTrouble: Sendable {
    /// Called on the thread of a loop for each connection; it must return soon.
    package typealias Report = @Sendable (HTTPTrouble) -> Void

    /// No descriptors or memory; reported once until a connection was accepted.
    case cannotAccept(SocketAddress, ReactorError)
    /// The listener has reached its limit of connections.
    case tooManyConnections(SocketAddress)
    /// No memory for a connection.
    case noTransport(SocketAddress)
    /// The peer sent too much of one kind that carries nothing.
    case flood(String, SocketAddress)
}
