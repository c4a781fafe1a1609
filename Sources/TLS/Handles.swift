import COpenSSL

// Each OpenSSL handle has one owner, which frees it. No handle leaves the module.

struct ContextHandle: ~Copyable {
    let handle: OpaquePointer

    init(method: OpaquePointer?) throws(TLSError) {
        handle = try ensure(SSL_CTX_new(method), "SSL_CTX_new")
    }

    deinit { SSL_CTX_free(handle) }
}

struct StreamHandle: ~Copyable {
    let handle: OpaquePointer
    /// The BIO uses it, and `SSL_free` frees the BIO.
    let link: UnsafeMutablePointer<copenssl_link>

    init(_ context: TLSContext, descriptor: Int32) throws(TLSError) {
        let stream = StreamHandle(
            owning: try ensure(SSL_new(context.handle), "SSL_new"), descriptor)
        let method = try ensure(Self.socketMethod, "BIO_meth_new")
        let socket = try ensure(copenssl_socket(method, stream.link), "BIO_new")
        // Frees the BIO once, although it serves both directions.
        SSL_set_bio(stream.handle, socket, socket)
        self = stream
    }

    // Unsafe: nothing changes it after it is created.
    nonisolated(unsafe) private static let socketMethod = copenssl_socket_method()

    private init(owning handle: OpaquePointer, _ descriptor: Int32) {
        self.handle = handle
        link = .allocate(capacity: 1)
        link.initialize(to: copenssl_link())
        link.pointee.descriptor = descriptor
    }

    deinit {
        SSL_free(handle)
        link.deallocate()
    }
}

struct Certificate: ~Copyable {
    let handle: OpaquePointer
    init(owning handle: OpaquePointer) { self.handle = handle }
    init() throws(TLSError) { handle = try ensure(X509_new(), "X509_new") }
    deinit { X509_free(handle) }
}

struct KeyPair: ~Copyable {
    let handle: OpaquePointer
    init(owning handle: OpaquePointer) { self.handle = handle }
    deinit { EVP_PKEY_free(handle) }

    static func generate() throws(TLSError) -> KeyPair {
        KeyPair(owning: try ensure(copenssl_generate_p256(), "EVP_EC_gen"))
    }
}

/// Text in memory that is overwritten when it is freed.
struct MemoryText: ~Copyable {
    let handle: OpaquePointer
    init() throws(TLSError) { handle = try ensure(BIO_new(BIO_s_secmem()), "BIO_new") }
    deinit { BIO_free(handle) }
}

extension Certificate {
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try ensure(PEM_write_bio_X509(text.handle, handle), "PEM_write_bio_X509")
        return text.bytes
    }
}

extension KeyPair {
    /// The unencrypted private key.
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try ensure(
            PEM_write_bio_PrivateKey(text.handle, handle, nil, nil, 0, nil, nil),
            "PEM_write_bio_PrivateKey")
        return text.bytes
    }
}

extension MemoryText {
    fileprivate var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_memory(handle, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
