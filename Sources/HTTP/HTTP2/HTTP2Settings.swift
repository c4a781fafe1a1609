/// What we tell the peer of an HTTP/2 connection at its start (RFC 9113 section 6.5.2).
package struct HTTP2Settings: Equatable, Sendable {
    package var concurrentStreams = 100
    /// What a peer may send on one stream before we have consumed any of it. The window of the
    /// whole connection has the same size, and no setting changes that.
    package var windowBytes = 65_535
    /// What the peer may have us remember of its fields.
    package var headerTableBytes = 4096

    package init() {}
}
