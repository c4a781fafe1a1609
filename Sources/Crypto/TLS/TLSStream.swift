import COpenSSL

/// One TLS connection over a non-blocking socket, which the caller owns.
///
/// OpenSSL makes the handshake. After one of TLS 1.3 a server goes on with records of our own if it
/// has ciphers for them; else OpenSSL keeps the connection. Only one thread at a time may use it.
package struct TLSStream: ~Copyable {
    /// Nil once records of our own have taken over.
    private var owner: StreamHandle?
    // It is kept because the callbacks of a running handshake use it.
    private var context: TLSContext?
    private var ciphers: RecordCiphers?
    private var records: RecordStream?

    var handle: OpaquePointer? { owner?.handle }
    package var hasOwnRecords: Bool { records != nil }

    /// `ciphers` are for records of our own.
    package init(
        serving descriptor: Int32, _ context: TLSContext, _ ciphers: RecordCiphers? = nil
    ) throws(TLSError) {
        let owner = try StreamHandle(
            context, descriptor: descriptor, takesSecrets: ciphers != nil)
        SSL_set_accept_state(owner.handle)
        self.owner = owner
        self.context = context
        self.ciphers = ciphers
    }

    /// `host` is a name or an IP address without brackets; the certificate must be for it.
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
        guard let owner else { return .done }
        begin(owner)
        let result = SSL_do_handshake(owner.handle)
        if let flood { return .failed(TLSError("SSL_do_handshake", flood)) }
        guard result == 1, let ciphers else { return progress(result, "SSL_do_handshake") }
        return handOver(owner, ciphers)
    }

    private mutating func handOver(
        _ owner: StreamHandle, _ ciphers: RecordCiphers
    ) -> TLSProgress {
        self.ciphers = nil
        do throws(OpenSSLError) {
            guard let records = try owner.handOver(to: ciphers) else {
                owner.dropSecrets()
                return .done
            }
            (self.records, self.owner, context) = (records, nil, nil)
            return .done
        } catch {
            return .failed(TLSError("SSL_do_handshake", error))
        }
    }

    /// Reads at most as much as fits, and takes a bounded amount from the socket: after
    /// `.wantsRead` the socket may hold more. After the handshake and after each `.bytes`, continue
    /// while `hasPending`: data that was read ahead does not make the socket readable again. A server
    /// has room for 16 KB.
    package mutating func read(into buffer: inout MutableSpan<UInt8>) -> TLSTransfer {
        if buffer.isEmpty { return .bytes(0) }
        guard let owner else { return records?.read(into: &buffer) ?? .closed }
        begin(owner)
        var count = 0
        let result = buffer.withUnsafeMutableBytes { bytes in
            SSL_read_ex(owner.handle, bytes.baseAddress, bytes.count, &count)
        }
        if let flood { return .failed(TLSError("SSL_read_ex", flood)) }
        return result == 1 ? .bytes(count) : interruption(result, "SSL_read_ex")
    }

    /// Writes one record or two. After `.wantsRead` or `.wantsWrite` the next call must begin with
    /// the same bytes, at any address; more may follow them.
    package mutating func write(_ bytes: Span<UInt8>) -> TLSTransfer {
        if bytes.isEmpty { return .bytes(0) }
        guard let owner else { return records?.write(bytes) ?? .closed }
        begin(owner)
        var count = 0
        let result = bytes.withUnsafeBytes { bytes in
            SSL_write_ex(owner.handle, bytes.baseAddress, bytes.count, &count)
        }
        return result == 1 ? .bytes(count) : interruption(result, "SSL_write_ex")
    }

    /// Sends close_notify; reading remains possible. Do not call it after `.failed`.
    package mutating func shutdown() -> TLSProgress {
        guard let owner else { return records?.shutdown() ?? .done }
        begin(owner)
        let result = SSL_shutdown(owner.handle)
        // 0 means that the peer's close_notify is still missing, which nobody waits for.
        return result == 0 ? .done : progress(result, "SSL_shutdown")
    }

    /// Whether there is more to read that the socket does not report: bytes that were read ahead.
    package var hasPending: Bool {
        if let records { return records.hasPending }
        return SSL_has_pending(handle) == 1
    }

    /// The kind of records of which the peer sent too many, if that ended the connection.
    package var flood: TLSFlood? { records?.flood ?? owner?.link.pointee.flooding }

    /// How much one call takes from the socket: two records of the largest size. Otherwise one peer
    /// that sends records without data could keep the loop busy for ever.
    private static let bytesPerCall: UInt32 = 33 * 1024

    private func begin(_ owner: StreamHandle) {
        owner.link.pointee.room = Self.bytesPerCall
        // An error that other code left on this thread would look like the stream's. Peeking costs
        // a fifth of clearing the queue, which is nearly always empty.
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
    /// Requires a certificate for `host`. The server is told a name but never an address (RFC 6066
    /// section 3).
    fileprivate func expect(_ host: String) throws(TLSError) {
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host) == 1 { return }
        ERR_clear_error()
        SSL_set_hostflags(handle, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        try require(SSL_set1_host(handle, host), "SSL_set1_host")
        try require(copenssl_ask_for_server_name(handle, host), "SSL_set_tlsext_host_name")
    }
}

// What was agreed in the handshake.
extension TLSStream {
    /// Changes when the handshake gets on, which takes a whole message of the peer.
    package var handshakeStep: UInt32 { owner.map { SSL_get_state($0.handle).rawValue } ?? .max }

    package var applicationProtocol: ApplicationProtocol? {
        owner?.applicationProtocol ?? records?.applicationProtocol
    }

    /// The version as OpenSSL names it, for example "TLSv1.3".
    package var version: String {
        owner.map { String(cString: SSL_get_version($0.handle)) } ?? "TLSv1.3"
    }

    /// Whether the session resumed an earlier one through a ticket.
    package var isResumed: Bool {
        owner.map { SSL_session_reused($0.handle) == 1 } ?? records?.isResumed ?? false
    }
}

extension StreamHandle {
    var applicationProtocol: ApplicationProtocol? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(handle, &name, &length)
        let bytes = UnsafeBufferPointer(start: name, count: Int(length))
        return ApplicationProtocol(rawValue: String(decoding: bytes, as: UTF8.self))
    }
}

/// The state of a handshake or a shutdown on a non-blocking socket.
package enum TLSProgress: Equatable, Sendable {
    case done
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer sent close_notify.
    case closed
    /// The connection can no longer be used.
    case failed(TLSError)
}

/// The result of reading from or writing to a non-blocking TLS connection.
package enum TLSTransfer: Equatable, Sendable {
    case bytes(Int)
    /// Call again when the socket can be read.
    case wantsRead
    /// Call again when the socket can be written.
    case wantsWrite
    /// The peer sent close_notify.
    case closed
    /// The connection can no longer be used.
    case failed(TLSError)
}
