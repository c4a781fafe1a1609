/// The state of a handshake or a shutdown on a non-blocking socket.
package enum TLSProgress: Equatable, Sendable {
    case done
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer sent close_notify.
    case closed
    /// The connection can no longer be used.
    case failed(TLSError)
}
