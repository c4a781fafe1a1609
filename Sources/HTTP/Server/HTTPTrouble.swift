package import Reactor

/// Why connections are not taken, or cut.
package enum HTTPTrouble: Sendable {
    /// Called on the thread of a loop, for each connection; it returns soon.
    package typealias Report = @Sendable (HTTPTrouble) -> Void

    /// The machine has no descriptors or memory left; said once until a connection was taken.
    case cannotAccept(SocketAddress, ReactorError)
    /// A listener has as many connections as it may.
    case tooManyConnections(SocketAddress)
    /// There was no memory for a connection.
    case noTransport(SocketAddress)
    /// A peer was cut that sent too much of one kind of what brings nothing.
    case flood(String, SocketAddress)
}
