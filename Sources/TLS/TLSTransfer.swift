/// The result of reading from or writing to a non-blocking TLS connection.
package enum TLSTransfer: Equatable, Sendable {
    case bytes(Int)
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer sent close_notify.
    case closed
    /// The connection can no longer be used.
    case failed(TLSError)
}
