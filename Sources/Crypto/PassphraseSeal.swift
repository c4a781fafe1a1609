package import Base
import COpenSSL

/// Seals a short secret under a passphrase that people can remember.
///
/// The result is: version (1) | log2 of scrypt's cost (1) | parallel runs (1) | salt (32) |
/// AES-256-GCM ciphertext | tag (16). The key comes from scrypt (RFC 7914), whose cost makes each
/// guess expensive. It is used only once, so the nonce may be zero.
package enum PassphraseSeal {
    /// How expensive a guess is. The memory that it takes is 1 KiB times two to the power of `log`.
    package struct Cost: Equatable, Sendable {
        let log: UInt8
        let runs: UInt8

        /// A quarter of a second and 64 MiB on a small server.
        package static let usual = Cost(log: 16, runs: 2)
        /// For tests: the passphrase is as easy to guess as its hash.
        package static let none = Cost(log: 4, runs: 1)

        /// Nobody has to spend more than 256 MiB on a file that claims to need it.
        fileprivate var isAcceptable: Bool { (1...18).contains(log) && (1...4).contains(runs) }
    }

    package enum Failure: Error, Equatable {
        /// It was not made here, or by a later version.
        case unknownFormat
        /// Or the sealed bytes were changed.
        case wrongPassphrase
        case fault(OpenSSLError)
    }

    private static let version: UInt8 = 1
    private static let saltLength = 32
    private static let headLength = 3 + saltLength
    private static let blockSize: UInt64 = 8
    private static let keyLength = 32
    private static let memoryLimit: UInt64 = 1 << 29
    private static let zeroNonce = InlineArray<12, UInt8>(repeating: 0)

    package static func seal(
        _ secret: Secret, under passphrase: Secret, _ cost: Cost = .usual
    ) throws(OpenSSLError) -> [UInt8] {
        var sealed = [version, cost.log, cost.runs]
        sealed += try Random.bytes(count: saltLength)
        let key = try key(passphrase, sealed.span.extracting(3..<headLength), cost)
        var encryption = try GCM("AES-256-GCM", encrypts: true)
        let head = sealed
        try secret.withSpan { secret throws(OpenSSLError) in
            try key.withSpan { key throws(OpenSSLError) in
                try encryption.seal(
                    secret, key: key, nonce: zeroNonce.span, associated: head.span,
                    appendingTo: &sealed)
            }
        }
        return sealed
    }

    package static func open(
        _ sealed: Span<UInt8>, under passphrase: Secret
    ) throws(Failure) -> Secret {
        guard sealed.count >= headLength + GCM.tagLength, sealed[0] == version else {
            throw .unknownFormat
        }
        let cost = Cost(log: sealed[1], runs: sealed[2])
        guard cost.isAcceptable else { throw .unknownFormat }
        do throws(OpenSSLError) {
            let key = try key(passphrase, sealed.extracting(3..<headLength), cost)
            if let secret = try open(sealed, key) { return secret }
        } catch {
            throw .fault(error)
        }
        throw .wrongPassphrase
    }

    private static func open(
        _ sealed: Span<UInt8>, _ key: Secret
    ) throws(OpenSSLError) -> Secret? {
        let text = sealed.extracting(headLength..<sealed.count)
        var decryption = try GCM("AES-256-GCM", encrypts: false)
        var length: Int?
        let secret = try Secret(count: text.count - GCM.tagLength) { block throws(OpenSSLError) in
            length = try block.withUnsafeMutableBufferPointer { output throws(OpenSSLError) in
                try key.withSpan { key throws(OpenSSLError) in
                    try decryption.open(
                        text, key: key, nonce: zeroNonce.span,
                        associated: sealed.extracting(0..<headLength), into: output)
                }
            }
        }
        return length == nil ? nil : secret
    }

    private static func key(
        _ passphrase: Secret, _ salt: Span<UInt8>, _ cost: Cost
    ) throws(OpenSSLError) -> Secret {
        try Secret(count: keyLength) { block throws(OpenSSLError) in
            let result = block.withUnsafeMutableBufferPointer { key in
                passphrase.withSpan { passphrase in
                    passphrase.withUnsafeBytes { passphrase in
                        salt.withUnsafeBufferPointer { salt in
                            EVP_PBE_scrypt(
                                passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                                passphrase.count, salt.baseAddress, salt.count,
                                UInt64(1) << cost.log, blockSize, UInt64(cost.runs), memoryLimit,
                                key.baseAddress, key.count)
                        }
                    }
                }
            }
            try ensure(result, "EVP_PBE_scrypt")
        }
    }
}
