import COpenSSL

/// The protocol inside TLS, agreed in the handshake (RFC 7301).
package enum ApplicationProtocol: String, CaseIterable, Sendable {
    case http2 = "h2"
    case http1 = "http/1.1"
    case http10 = "http/1.0"

    /// What the server accepts, best first, each with its length before it.
    private static let serverList: StaticString = "\u{2}h2\u{8}http/1.1\u{8}http/1.0"

    static func list(_ protocols: [ApplicationProtocol]) -> [UInt8] {
        protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) }
    }

    /// Chooses from the client's list. If there is none in common the handshake ends with
    /// no_application_protocol (RFC 7301 section 3.2).
    static func select(
        _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?,
        from offer: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        // Points into one of the two lists; it is never written through.
        var chosen: UnsafeMutablePointer<UInt8>?
        let result = SSL_select_next_proto(
            &chosen, length, serverList.utf8Start, UInt32(serverList.utf8CodeUnitCount), offer,
            count)
        guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        output?.pointee = UnsafePointer(chosen)
        return SSL_TLSEXT_ERR_OK
    }
}
