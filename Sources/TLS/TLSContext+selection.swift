import COpenSSL

/// OpenSSL calls this when the client has named the server it wants (RFC 6066 section 3).
func selectCertificate(
    _ stream: OpaquePointer?, _: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let stream, let argument,
        let name = SSL_get_servername(stream, TLSEXT_NAMETYPE_host_name)
    else { return SSL_TLSEXT_ERR_NOACK }
    let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
    if let chosen = context.alternative(for: name) { SSL_set_SSL_CTX(stream, chosen.handle) }
    // Only an acknowledged name is stored in tickets.
    return SSL_TLSEXT_ERR_OK
}

extension TLSContext {
    /// An exact name is preferred to a wildcard.
    fileprivate func alternative(for name: UnsafePointer<CChar>) -> TLSContext? {
        if alternatives.isEmpty { return nil }
        let all = [self] + alternatives
        return all.first { $0.covers(name, UInt32(X509_CHECK_FLAG_NO_WILDCARDS)) }
            ?? all.first { $0.covers(name, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)) }
    }

    private func covers(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Bool {
        guard let certificate = SSL_CTX_get0_certificate(handle) else { return false }
        // Length 0: the name ends at its zero byte.
        let result = X509_check_host(certificate, name, 0, flags, nil)
        ERR_clear_error()
        return result == 1
    }
}
