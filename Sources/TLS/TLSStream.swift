import COpenSSL

/// One TLS connection over a socket that does not block. The socket stays the caller's.
///
/// For one thread at a time.
package struct TLSStream: ~Copyable {
    private let owner: StreamHandle
    // The callbacks of a running handshake look into it.
    private let context: TLSContext

    var handle: OpaquePointer { owner.handle }

    /// The server's side.
    package init(serving descriptor: Int32, _ context: TLSContext) throws(TLSError) {
        let owner = try StreamHandle(context, descriptor: descriptor)
        SSL_set_accept_state(owner.handle)
        self.owner = owner
        self.context = context
    }

    /// The client's side. `host` is a name or an IP address without brackets; the certificate must
    /// be for it.
    package init(
        connecting descriptor: Int32, to host: String, _ context: TLSContext
    ) throws(TLSError) {
        let owner = try StreamHandle(context, descriptor: descriptor)
        try owner.expect(host)
        SSL_set_connect_state(owner.handle)
        self.owner = owner
        self.context = context
    }

    package mutating func handshake() -> TLSProgress {
        begin()
        let result = SSL_do_handshake(handle)
        if let flood { return .failed(TLSError("SSL_do_handshake", flood)) }
        return progress(result, "SSL_do_handshake")
    }

    /// Reads at most as much as fits, and takes a bounded amount from the socket: after `.wantsRead`
    /// there may be more in it. After the handshake and after each `.bytes`, read on while
    /// `hasPending`: what OpenSSL has read ahead does not make the socket readable again.
    package mutating func read(into buffer: inout MutableSpan<UInt8>) -> TLSTransfer {
        if buffer.isEmpty { return .bytes(0) }
        begin()
        var count = 0
        let result = buffer.withUnsafeMutableBytes { bytes in
            SSL_read_ex(handle, bytes.baseAddress, bytes.count, &count)
        }
        if let flood { return .failed(TLSError("SSL_read_ex", flood)) }
        return result == 1 ? .bytes(count) : interruption(result, "SSL_read_ex")
    }

    /// Writes at most one record. After `.wantsRead` or `.wantsWrite` the next call must begin with
    /// the same bytes, wherever they lie by then; more may follow them.
    package mutating func write(_ bytes: Span<UInt8>) -> TLSTransfer {
        if bytes.isEmpty { return .bytes(0) }
        begin()
        var count = 0
        let result = bytes.withUnsafeBytes { bytes in
            SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count)
        }
        return result == 1 ? .bytes(count) : interruption(result, "SSL_write_ex")
    }

    /// Says close_notify, and is done when that is on its way; reading stays possible. Not after
    /// `.failed`.
    package mutating func shutdown() -> TLSProgress {
        begin()
        let result = SSL_shutdown(handle)
        // 0 says that the peer's close_notify has not come, which nobody here waits for.
        return result == 0 ? .done : progress(result, "SSL_shutdown")
    }

    /// Whether OpenSSL holds bytes of the peer's that it has read ahead, be it part of a record.
    package var hasPending: Bool { SSL_has_pending(handle) == 1 }

    /// Of what the peer sent too much, which ended the connection.
    package var flood: TLSFlood? { owner.link.pointee.flooding }

    /// What one call takes from the socket: two records of the largest size. What brings nothing
    /// would otherwise be read as long as it comes, and nobody else be served.
    private static let bytesPerCall: UInt32 = 33 * 1024

    private func begin() {
        owner.link.pointee.room = Self.bytesPerCall
        // An error that something else left on this thread would be taken for the stream's. To look
        // costs a fifth of clearing the empty queue, which is empty nearly always.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    private func progress(_ result: Int32, _ call: StaticString) -> TLSProgress {
        if result == 1 { return .done }
        let kind = SSL_get_error(handle, result)
        return switch kind {
        case SSL_ERROR_WANT_READ: .wantsRead
        case SSL_ERROR_WANT_WRITE: .wantsWrite
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed(error(kind, call))
        }
    }

    private func interruption(_ result: Int32, _ call: StaticString) -> TLSTransfer {
        let kind = SSL_get_error(handle, result)
        return switch kind {
        case SSL_ERROR_WANT_READ: .wantsRead
        case SSL_ERROR_WANT_WRITE: .wantsWrite
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed(error(kind, call))
        }
    }

    private func error(_ kind: Int32, _ call: StaticString) -> TLSError {
        if kind == SSL_ERROR_SYSCALL { return TLSError(call, socketError: copenssl_errno()) }
        let verification = SSL_get_verify_result(handle)
        guard verification == X509_V_OK else { return TLSError(call, verification: verification) }
        return TLSError(call)
    }
}

extension StreamHandle {
    /// Only a certificate for `host` will do. A name is also told to the server; an address never
    /// is (RFC 6066 section 3).
    fileprivate func expect(_ host: String) throws(TLSError) {
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host) == 1 { return }
        ERR_clear_error()
        SSL_set_hostflags(handle, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        try ensure(SSL_set1_host(handle, host), "SSL_set1_host")
        try ensure(copenssl_ask_for_server_name(handle, host), "SSL_set_tlsext_host_name")
    }
}
