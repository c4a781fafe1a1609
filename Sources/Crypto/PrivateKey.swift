package import Base
import COpenSSL
package import WebPush

/// A P-256 private key with its public half.
package struct PrivateKey: ~Copyable {
    package static let length = 32

    let number: BigNumber
    package let publicKey: UncompressedPoint

    /// Reads the 32 bytes of the scalar; nil unless it is in 1…n−1.
    package init?(_ bytes: Span<UInt8>) throws(OpenSSLError) {
        guard bytes.count == Self.length else { return nil }
        let number = try BigNumber(secret: bytes)
        var curve = try P256()
        guard let publicKey = try curve.publicKey(of: number) else { return nil }
        self.number = number
        self.publicKey = publicKey
    }

    /// Reads parts that were stored together; does not check again that they match.
    package init(stored bytes: Span<UInt8>, publicKey: UncompressedPoint) throws(OpenSSLError) {
        number = try BigNumber(secret: bytes)
        self.publicKey = publicKey
    }

    package static func generate() throws(OpenSSLError) -> PrivateKey {
        let key = KeyObject(
            owning: try ensure(copenssl_generate_p256(), "EVP_EC_gen"))
        var number: OpaquePointer?
        try ensure(
            EVP_PKEY_get_bn_param(key.handle, OSSL_PKEY_PARAM_PRIV_KEY, &number),
            "EVP_PKEY_get_bn_param")
        let scalar = BigNumber(owning: try ensure(number, "EVP_PKEY_get_bn_param"))
        guard let generated = try PrivateKey(scalar.secret(length: length)) else {
            throw OpenSSLError("EVP_EC_gen")
        }
        return generated
    }

    /// The key that a secret has under this label and number: always the same. Who has the key learns
    /// nothing of the secret.
    package static func derived(
        from secret: Secret, _ label: StaticString, number: UInt8
    ) throws(OpenSSLError) -> PrivateKey {
        var hash = try SHA256()
        // Of 2^32 digests, one is no scalar.
        for turn in 0..<UInt8.max {
            let context: [UInt8] = [number, turn]
            try secret.withSpan { secret throws(OpenSSLError) in try hash.beginHMAC(key: secret) }
            try hash.update(label)
            try hash.update(context.span)
            let scalar = try hash.finishHMAC()
            if let key = try PrivateKey(scalar.span) { return key }
        }
        throw OpenSSLError("HMAC")
    }

    /// The 32 bytes of the scalar.
    package var bytes: Secret {
        get throws(OpenSSLError) { try number.secret(length: Self.length) }
    }

    private init?(_ secret: Secret) throws(OpenSSLError) {
        var key: PrivateKey?
        try secret.withSpan { bytes throws(OpenSSLError) in key = try PrivateKey(bytes) }
        guard let key = key.take() else { return nil }
        self = key
    }
}

/// What a receiver needs to decrypt: the private half of `p256dh`, and `auth`.
package struct ReceiverKeys: ~Copyable {
    package static let authLength = 16

    package let privateKey: PrivateKey
    package let auth: Secret

    /// Nil unless `auth` has 16 bytes (RFC 8291 section 3.2).
    package init?(privateKey: consuming PrivateKey, auth: Secret) {
        guard auth.count == Self.authLength else { return nil }
        self.privateKey = privateKey
        self.auth = auth
    }

    package static func generate() throws(OpenSSLError) -> ReceiverKeys {
        let auth = try Random.secret(count: authLength)
        guard let keys = ReceiverKeys(privateKey: try .generate(), auth: auth) else {
            preconditionFailure("the auth secret does not have \(authLength) bytes")
        }
        return keys
    }
}
