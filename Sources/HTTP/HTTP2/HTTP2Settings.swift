/// The settings that we send to the peer at the start (RFC 9113 section 6.5.2).
package struct HTTP2Settings: Equatable, Sendable {
    package var concurrentStreams = 100
    /// How much a peer may send on one stream before we consume any of it. The window of the whole
    /// connection has the same size, and no setting changes that.
    package var windowBytes = 65_535
    /// How many bytes of its fields the peer may make us remember.
    package var headerTableBytes = 4096

    package init() {}
}
