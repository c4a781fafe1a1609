import COpenSSL

/// What the connections of a server or a client share: protocol settings and certificates.
///
/// It can be used by all threads. Several loops should share one, so that each accepts the session
/// tickets of the others. Connections keep theirs when it is replaced.
// Unchecked: OpenSSL counts references to a context atomically, and nothing changes it after
// `init`.
package final class TLSContext: @unchecked Sendable {
    private let owner: ContextHandle
    /// Contexts with other certificates; this one serves unknown and missing names.
    let alternatives: [TLSContext]

    var handle: OpaquePointer { owner.handle }

    /// A server that presents `certificate`, unless one of `alternatives` covers the requested
    /// name.
    package init(
        server certificate: PEMCertificate, alternatives: [TLSContext] = []
    ) throws(CertificateRefusal) {
        let owner = try Self.serverHandle()
        try certificate.install(in: owner)
        let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, output, length, offer, count, _ in
            ApplicationProtocol.select(output, length, from: offer, count)
        }
        SSL_CTX_set_alpn_select_cb(owner.handle, selectProtocol, nil)
        self.owner = owner
        self.alternatives = alternatives
        // Every stream keeps its context, so this outlives each handshake that uses it.
        let argument = Unmanaged.passUnretained(self).toOpaque()
        copenssl_set_server_name_callback(handle, selectCertificate, argument)
    }

    /// A client that trusts `trust` and offers `protocols`, best first.
    package init(client trust: Trust, protocols: [ApplicationProtocol]) throws(TLSError) {
        let owner = try ContextHandle(method: TLS_client_method())
        try Self.configure(owner)
        SSL_CTX_set_verify(owner.handle, SSL_VERIFY_PEER, nil)
        try trust.install(in: owner)
        let list = ApplicationProtocol.list(protocols)
        // This function returns 0 for success.
        guard SSL_CTX_set_alpn_protos(owner.handle, list, UInt32(list.count)) == 0 else {
            throw TLSError("SSL_CTX_set_alpn_protos")
        }
        self.owner = owner
        alternatives = []
    }
}

extension TLSContext {
    /// TLS 1.2 uses only what TLS 1.3 kept: forward secrecy and authenticated encryption.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// SHA-256 comes first: processors have instructions for it, and 128 bits are enough.
    private static let ciphersTLS13 =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let groups = "X25519:P-256:P-384"

    private static func serverHandle() throws(CertificateRefusal) -> ContextHandle {
        do throws(TLSError) {
            let context = try ContextHandle(method: TLS_server_method())
            try configure(context)
            try acceptResumption(context)
            // Secrets go to the streams that take them, and nowhere else.
            SSL_CTX_set_keylog_callback(context.handle, takeSecret)
            return context
        } catch {
            throw .fault(error)
        }
    }

    private static func configure(_ context: borrowing ContextHandle) throws(TLSError) {
        let handle = context.handle
        try require(copenssl_set_min_version(handle, TLS1_2_VERSION), "set_min_proto_version")
        try require(SSL_CTX_set_cipher_list(handle, ciphers), "SSL_CTX_set_cipher_list")
        try require(SSL_CTX_set_ciphersuites(handle, ciphersTLS13), "SSL_CTX_set_ciphersuites")
        try require(copenssl_set_groups(handle, groups), "SSL_CTX_set1_groups_list")
        SSL_CTX_set_options(handle, copenssl_context_options)
        copenssl_set_mode(
            handle,
            Int(
                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
                    | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        SSL_CTX_set_msg_callback(handle, inspectRecord)
        // This needs one system call per record instead of two.
        copenssl_set_read_ahead(handle)
    }

    /// Sessions are kept in encrypted tickets, so the server stores none.
    private static func acceptResumption(_ context: borrowing ContextHandle) throws(TLSError) {
        copenssl_set_session_cache_mode(context.handle, Int(SSL_SESS_CACHE_OFF))
        // A ticket costs a fifteenth of a handshake, and a returning client needs just one. Without
        // any ticket, a client that waits for acknowledgements stalls.
        try require(SSL_CTX_set_num_tickets(context.handle, 1), "SSL_CTX_set_num_tickets")
        let name = Array("bellwire".utf8)
        try require(
            SSL_CTX_set_session_id_context(context.handle, name, UInt32(name.count)),
            "SSL_CTX_set_session_id_context")
    }
}

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

/// The certificate authorities that a client trusts.
package enum Trust: Sendable {
    case system
    /// Only the authorities in this PEM text.
    case authorities([UInt8])
    /// Those of the system, and those in this PEM text.
    case systemAnd([UInt8])

    func install(in context: borrowing ContextHandle) throws(TLSError) {
        switch self {
        case .system: try Self.installSystem(in: context)
        case .authorities(let text): try Self.install(text, in: context)
        case .systemAnd(let text):
            try Self.installSystem(in: context)
            try Self.install(text, in: context)
        }
    }

    private static func installSystem(in context: borrowing ContextHandle) throws(TLSError) {
        try require(
            SSL_CTX_set_default_verify_paths(context.handle), "SSL_CTX_set_default_verify_paths")
    }

    private static func install(
        _ text: [UInt8], in context: borrowing ContextHandle
    ) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(context.handle)
        var reader = try PEMReader(text)
        while let certificate = try reader.certificate() {
            try require(X509_STORE_add_cert(store, certificate.handle), "X509_STORE_add_cert")
        }
    }
}
