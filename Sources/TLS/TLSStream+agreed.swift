import COpenSSL

// What both sides agreed on; meaningful after the handshake.
extension TLSStream {
    package var applicationProtocol: ApplicationProtocol? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(handle, &name, &length)
        let bytes = UnsafeBufferPointer(start: name, count: Int(length))
        return ApplicationProtocol(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    /// "TLSv1.3", as OpenSSL names it.
    package var version: String { String(cString: SSL_get_version(handle)) }

    /// Whether a ticket of an earlier connection was taken up.
    package var isResumed: Bool { SSL_session_reused(handle) == 1 }
}
