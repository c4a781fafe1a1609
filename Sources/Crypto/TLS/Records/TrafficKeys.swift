import Base
import COpenSSL

/// The cipher suites of TLS 1.3 (RFC 9846 appendix B.4).
package enum CipherSuite: UInt16, CaseIterable {
    case aes128 = 0x1301
    case aes256 = 0x1302
    case chacha20 = 0x1303

    /// As OpenSSL calls the cipher.
    var cipher: String {
        switch self {
        case .aes128: "AES-128-GCM"
        case .aes256: "AES-256-GCM"
        case .chacha20: "ChaCha20-Poly1305"
        }
    }

    var keyLength: Int { self == .aes128 ? 16 : 32 }
    package var secretLength: Int { self == .aes256 ? 48 : 32 }

    /// How many records a key may seal: fewer than 2^24.5 of AES-GCM, and of ChaCha20 as many as there
    /// are numbers (RFC 9846 section 5.5).
    var recordsPerKey: UInt64 { self == .chacha20 ? .max : 1 << 24 }
}

/// The secret, the key and the IV of one direction (RFC 9846 section 7.3), and the number of the next
/// record.
///
/// They lie at one place in memory, which is overwritten when they are replaced and at the end.
package struct TrafficKeys: ~Copyable {
    static let nonceLength = 12
    /// No key of a higher epoch may be used (RFC 9846 section 4.7.3).
    private static let lastEpoch: UInt64 = (1 << 48) - 1

    let suite: CipherSuite
    /// How often the keys were updated.
    private(set) var epoch: UInt64 = 0
    /// The number of the next record.
    private(set) var sequence: UInt64
    private let block: UnsafeMutableBufferPointer<UInt8>

    /// `sequence` records have passed under the secret.
    package init(
        _ suite: CipherSuite, secret: Span<UInt8>, sequence: UInt64
    ) throws(OpenSSLError) {
        precondition(secret.count == suite.secretLength, "the secret is of another suite")
        block = .allocate(capacity: suite.secretLength + suite.keyLength + Self.nonceLength)
        block.initialize(repeating: 0)
        self.suite = suite
        self.sequence = sequence
        for index in secret.indices { block[index] = secret[index] }
        try derive()
    }

    deinit {
        OPENSSL_cleanse(block.baseAddress, block.count)
        block.deallocate()
    }

    private var secret: UnsafeMutableBufferPointer<UInt8> {
        block.extracting(0..<suite.secretLength)
    }

    var key: UnsafeMutableBufferPointer<UInt8> {
        block.extracting(suite.secretLength..<suite.secretLength + suite.keyLength)
    }

    private var vector: UnsafeMutableBufferPointer<UInt8> {
        block.extracting(suite.secretLength + suite.keyLength..<block.count)
    }

    /// The nonce of the next record (RFC 9846 section 5.3).
    var nonce: InlineArray<12, UInt8> {
        var nonce = InlineArray<12, UInt8>(repeating: 0)
        let vector = UnsafeRawBufferPointer(vector)
        let last = vector.loadUnaligned(fromByteOffset: 4, as: UInt64.self) ^ sequence.bigEndian
        var span = nonce.mutableSpan
        span.withUnsafeMutableBytes { nonce in
            nonce.copyMemory(from: UnsafeRawBufferPointer(rebasing: vector[..<4]))
            nonce.storeBytes(of: last, toByteOffset: 4, as: UInt64.self)
        }
        return nonce
    }

    /// Whether there is a number for another record. It is never used, so that none is used twice.
    var hasNumber: Bool { sequence < .max }

    /// A record was sealed or opened.
    mutating func advance() { sequence += 1 }

    /// Goes on to the next secret, key and IV (RFC 9846 section 7.2). False if there is none.
    package mutating func update() throws(OpenSSLError) -> Bool {
        guard epoch < Self.lastEpoch else { return false }
        var next = InlineArray<48, UInt8>(repeating: 0)
        var bytes = next.mutableSpan
        let secret = secret
        try bytes.withUnsafeMutableBufferPointer { next throws(OpenSSLError) in
            defer { OPENSSL_cleanse(next.baseAddress, next.count) }
            let fresh = next.extracting(0..<secret.count)
            var label = try LabelExpander(suite, secret)
            try label.expand("tls13 traffic upd", into: fresh)
            for index in secret.indices { secret[index] = fresh[index] }
        }
        try derive()
        (epoch, sequence) = (epoch + 1, 0)
        return true
    }

    private func derive() throws(OpenSSLError) {
        var label = try LabelExpander(suite, secret)
        try label.expand("tls13 key", into: key)
        try label.expand("tls13 iv", into: vector)
    }
}

/// HKDF-Expand-Label of one secret (RFC 9846 section 7.1), without context and with one block of
/// output.
private struct LabelExpander: ~Copyable {
    private let secret: UnsafeMutableBufferPointer<UInt8>
    /// Nil if the hash is SHA-384.
    private var hash: SHA256?

    init(
        _ suite: CipherSuite, _ secret: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) {
        self.secret = secret
        if suite == .aes256 {
            hash = nil
        } else {
            var hash = try SHA256()
            try hash.beginHMAC(key: secret.span)
            self.hash = consume hash
        }
    }

    mutating func expand(
        _ label: StaticString, into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) {
        // The lengths of output, label and context, and the number of the block.
        var information = [0, UInt8(output.count), UInt8(label.utf8CodeUnitCount)]
        information.append(contentsOf: label)
        information += [0, 1]
        var result = InlineArray<64, UInt8>(repeating: 0)
        var span = result.mutableSpan
        try span.withUnsafeMutableBufferPointer { result throws(OpenSSLError) in
            defer { OPENSSL_cleanse(result.baseAddress, result.count) }
            try mac(information.span, into: result)
            for index in output.indices { output[index] = result[index] }
        }
    }

    private mutating func mac(
        _ information: Span<UInt8>, into result: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) {
        if hash != nil {
            hash?.beginHMACUnderSameKey()
            try hash?.update(information)
            try hash?.finishHMAC(into: result)
            return
        }
        let made = information.withUnsafeBufferPointer { information in
            HMAC(
                EVP_sha384(), secret.baseAddress, Int32(secret.count), information.baseAddress,
                information.count, result.baseAddress, nil)
        }
        guard made != nil else { throw OpenSSLError("HMAC") }
    }
}
