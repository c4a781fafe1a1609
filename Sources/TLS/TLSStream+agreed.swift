import COpenSSL

// What was agreed in the handshake.
extension TLSStream {
    package var applicationProtocol: ApplicationProtocol? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(handle, &name, &length)
        let bytes = UnsafeBufferPointer(start: name, count: Int(length))
        return ApplicationProtocol(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    /// As OpenSSL names it, for example "TLSv1.3".
    package var version: String { String(cString: SSL_get_version(handle)) }

    /// Whether the session resumed an earlier one through a ticket.
    package var isResumed: Bool { SSL_session_reused(handle) == 1 }
}
