import COpenSSL

/// What a handshake of OpenSSL leaves to records of our own, as OpenSSL tells it meanwhile: the
/// secrets of both directions, and how many records have passed under them.
///
/// Tickets are such records, one or more each, so records are counted and nothing is assumed.
struct TakenSecrets {
    /// The longest that there is.
    static let longest = 48

    fileprivate struct Direction {
        var secret = InlineArray<48, UInt8>(repeating: 0)
        var length = 0
        var records: UInt64 = 0
    }

    fileprivate var client = Direction()
    fileprivate var server = Direction()

    var lengths: [Int] { [client.length, server.length] }

    mutating func countRecord(isSent: Bool) {
        if isSent { server.records += 1 } else { client.records += 1 }
    }

    /// Takes a line of the key log: label, random number of the client, secret in hexadecimal. It
    /// writes nowhere.
    mutating func take(_ line: UnsafePointer<CChar>) {
        // The whole label: a KeyUpdate would give one that begins the same.
        if Self.hasLabel("CLIENT_TRAFFIC_SECRET_0 ", line) {
            Self.readSecret(of: line, into: &client)
        } else if Self.hasLabel("SERVER_TRAFFIC_SECRET_0 ", line) {
            Self.readSecret(of: line, into: &server)
        }
    }

    private static func hasLabel(_ label: StaticString, _ line: UnsafePointer<CChar>) -> Bool {
        strncmp(line, label.utf8Start, label.utf8CodeUnitCount) == 0
    }

    private static func readSecret(
        of line: UnsafePointer<CChar>, into direction: inout Direction
    ) {
        (direction.length, direction.records) = (0, 0)
        guard var place = strrchr(line, Int32(UInt8(ascii: " "))) else { return }
        while direction.length < longest, let high = digit(place[1]), let low = digit(place[2]) {
            direction.secret[direction.length] = high << 4 | low
            direction.length += 1
            place += 2
        }
    }

    private static func digit(_ character: CChar) -> UInt8? {
        switch UInt8(bitPattern: character) {
        case let digit where digit.isDigit: digit - UInt8(ascii: "0")
        case let letter where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter.lowercased):
            letter.lowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// OpenSSL calls this inside a handshake with each secret.
func takeSecret(_ stream: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    guard let line, let link = copenssl_link_of(SSL_get_rbio(stream)) else { return }
    link.pointee.takenSecrets?.pointee.take(line)
}

extension copenssl_link {
    var takenSecrets: UnsafeMutablePointer<TakenSecrets>? {
        taken?.assumingMemoryBound(to: TakenSecrets.self)
    }
}

extension StreamHandle {
    /// The records of this connection from now on, if all is known that they need and OpenSSL has
    /// nothing more to do. Otherwise nil: OpenSSL keeps the connection.
    func handOver(to ciphers: RecordCiphers) throws(OpenSSLError) -> RecordStream? {
        guard let taken = link.pointee.takenSecrets, isFinished,
            let suite = CipherSuite(
                rawValue: SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(handle))),
            taken.pointee.client.length == suite.secretLength,
            taken.pointee.server.length == suite.secretLength
        else { return nil }
        let layer = RecordLayer(
            ciphers.nextConnection(), reading: try Self.keys(suite, &taken.pointee.client),
            writing: try Self.keys(suite, &taken.pointee.server), longestContent: longestContent)
        return RecordStream(
            layer, on: link.pointee.descriptor, ciphers, applicationProtocol,
            isResumed: SSL_session_reused(handle) == 1)
    }

    /// Whether nothing of the handshake is left, and nothing of what comes later was begun. Nobody
    /// asks for early data, certificates after the handshake or the kernel's TLS, but the settings of
    /// the machine might.
    private var isFinished: Bool {
        SSL_version(handle) == TLS1_3_VERSION && SSL_is_init_finished(handle) == 1
            && SSL_has_pending(handle) == 0 && SSL_want(handle) == SSL_NOTHING
            && SSL_get_shutdown(handle) == 0
            && SSL_get_early_data_status(handle) == SSL_EARLY_DATA_NOT_SENT
            && SSL_get_options(handle) & copenssl_kernel_tls == 0
            && SSL_get_verify_mode(handle) == SSL_VERIFY_NONE
    }

    /// The client may have asked for short records (RFC 6066 section 4).
    private var longestContent: Int {
        let code = SSL_SESSION_get_max_fragment_length(SSL_get_session(handle))
        return (1...4).contains(code) ? 256 << Int(code) : RecordHeader.longestContent
    }

    /// The secret is read where it lies, and overwritten there: a copy would stay on the stack.
    private static func keys(
        _ suite: CipherSuite, _ direction: inout TakenSecrets.Direction
    ) throws(OpenSSLError) -> TrafficKeys {
        let (length, records) = (direction.length, direction.records)
        direction.length = 0
        var bytes = direction.secret.mutableSpan
        return try bytes.withUnsafeMutableBufferPointer { secret throws(OpenSSLError) in
            defer { OPENSSL_cleanse(secret.baseAddress, secret.count) }
            return try TrafficKeys(
                suite, secret: secret.extracting(0..<length).span, sequence: records)
        }
    }
}
