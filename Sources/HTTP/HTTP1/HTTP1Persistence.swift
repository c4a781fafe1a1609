/// What an answer says about further requests on its connection (RFC 9112 section 9.3).
package enum HTTP1Persistence: Sendable {
    /// Nothing: HTTP/1.1 keeps the connection, and an upgrade speaks for itself.
    case implied
    /// An HTTP/1.0 client that asked for it has to be told.
    case keepAlive
    case close
}
