/// What came of reading or writing on a socket that never blocks.
package enum TLSTransfer: Equatable, Sendable {
    case bytes(Int)
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer said close_notify: this was all.
    case closed
    /// The connection is of no more use.
    case failed(TLSError)
}
