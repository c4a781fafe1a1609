import COpenSSL

// Each OpenSSL handle has one owner, which frees it. No handle leaves the module.

struct ContextHandle: ~Copyable {
    let handle: OpaquePointer

    init(method: OpaquePointer?) throws(TLSError) {
        handle = try require(SSL_CTX_new(method), "SSL_CTX_new")
    }

    deinit { SSL_CTX_free(handle) }
}

final class StreamHandle {
    let handle: OpaquePointer
    /// The BIO uses it, and `SSL_free` frees the BIO.
    let link: UnsafeMutablePointer<copenssl_link>

    /// `takesSecrets`: records of our own may follow the handshake.
    convenience init(
        _ context: TLSContext, descriptor: Int32, takesSecrets: Bool = false
    ) throws(TLSError) {
        self.init(owning: try require(SSL_new(context.handle), "SSL_new"), descriptor)
        let method = try require(Self.socketMethod, "BIO_meth_new")
        let socket = try require(copenssl_socket(method, link), "BIO_new")
        // Frees the BIO once, although it serves both directions.
        SSL_set_bio(handle, socket, socket)
        if takesSecrets { takeSecrets() }
    }

    // Unsafe: nothing changes it after it is created.
    nonisolated(unsafe) private static let socketMethod = copenssl_socket_method()

    private init(owning handle: OpaquePointer, _ descriptor: Int32) {
        self.handle = handle
        link = .allocate(capacity: 1)
        link.initialize(to: copenssl_link())
        link.pointee.descriptor = descriptor
    }

    private func takeSecrets() {
        let taken = UnsafeMutablePointer<TakenSecrets>.allocate(capacity: 1)
        taken.initialize(to: TakenSecrets())
        link.pointee.taken = UnsafeMutableRawPointer(taken)
        // What follows the handshake stays in the socket.
        SSL_set_read_ahead(handle, 0)
    }

    /// OpenSSL keeps the connection, and the secrets are not needed.
    func dropSecrets() {
        guard let taken = link.pointee.takenSecrets else { return }
        link.pointee.taken = nil
        OPENSSL_cleanse(taken, MemoryLayout<TakenSecrets>.size)
        taken.deallocate()
        SSL_set_read_ahead(handle, 1)
    }

    deinit {
        dropSecrets()
        // Otherwise a session that the server keeps could not be resumed.
        SSL_set_shutdown(handle, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(handle)
        link.deallocate()
    }
}

struct Certificate: ~Copyable {
    let handle: OpaquePointer
    init(owning handle: OpaquePointer) { self.handle = handle }
    init() throws(TLSError) { handle = try require(X509_new(), "X509_new") }
    deinit { X509_free(handle) }
}

struct KeyPair: ~Copyable {
    let handle: OpaquePointer
    init(owning handle: OpaquePointer) { self.handle = handle }
    deinit { EVP_PKEY_free(handle) }

    static func generate() throws(TLSError) -> KeyPair {
        KeyPair(owning: try require(copenssl_generate_p256(), "EVP_EC_gen"))
    }
}

/// Text in memory that is overwritten when it is freed.
struct MemoryText: ~Copyable {
    let handle: OpaquePointer
    init() throws(TLSError) { handle = try require(BIO_new(BIO_s_secmem()), "BIO_new") }
    deinit { BIO_free(handle) }
}

extension Certificate {
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try require(PEM_write_bio_X509(text.handle, handle), "PEM_write_bio_X509")
        return text.bytes
    }
}

extension KeyPair {
    /// The unencrypted private key.
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try require(
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

/// A failed call of OpenSSL, or of the socket under it.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    /// OpenSSL's packed code; 0 if the socket failed.
    package let code: UInt
    package let reason: String
    /// The connection ended without close_notify: a network failure, a killed peer, or an attacker
    /// who truncates the text.
    package let isAbruptEnd: Bool
    /// The peer's certificate was not accepted.
    package let isCertificateRefusal: Bool

    /// Takes the first error of this thread's queue and empties the queue.
    init(_ call: StaticString) {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) }
        self.init(call, code: code, reason: reason ?? "unknown reason")
    }

    /// `result` is one of OpenSSL's X509_V_ERR codes.
    init(_ call: StaticString, verification result: Int) {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = String(cString: X509_verify_cert_error_string(result))
        self.init(
            call, code: code, reason: "the certificate was refused: \(reason)",
            isCertificateRefusal: true)
    }

    /// The socket failed with this `errno`; 0 if it ended.
    init(_ call: StaticString, socketError number: Int32) {
        ERR_clear_error()
        self.call = "\(call)"
        code = 0
        reason = number == 0 ? "the connection ended" : String(cString: strerror(number))
        isAbruptEnd = number == 0 || number == ECONNRESET || number == EPIPE
        isCertificateRefusal = false
    }

    init(_ call: StaticString, _ flood: TLSFlood) {
        ERR_clear_error()
        self.init(call, code: 0, reason: "too many \(flood.word)")
    }

    /// Why records of our own ended.
    init(_ call: StaticString, _ ending: RecordEnding) {
        self.init(call, code: 0, reason: ending.reason)
    }

    init(_ call: StaticString, _ fault: OpenSSLError) {
        self.init(call, code: fault.code, reason: fault.description)
    }

    private init(
        _ call: StaticString, code: UInt, reason: String, isCertificateRefusal: Bool = false
    ) {
        self.isCertificateRefusal = isCertificateRefusal
        self.call = "\(call)"
        self.code = code
        self.reason = reason
        isAbruptEnd = ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
    }

    /// The peer speaks HTTP without TLS.
    package var isPlainHTTP: Bool { ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST }

    package var description: String { "\(call): \(reason)" }
}

/// Turns OpenSSL's "1 is success" into a thrown error and drains the error queue.
func require(_ result: Int32, _ call: StaticString) throws(TLSError) {
    guard result == 1 else { throw TLSError(call) }
}

/// Does the same for calls that return a handle.
func require<Handle>(_ handle: Handle?, _ call: StaticString) throws(TLSError) -> Handle {
    guard let handle else { throw TLSError(call) }
    return handle
}
