/// How far a handshake or a farewell came on a socket that never blocks.
package enum TLSProgress: Equatable, Sendable {
    case done
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer said close_notify.
    case closed
    /// The connection is of no more use.
    case failed(TLSError)
}
