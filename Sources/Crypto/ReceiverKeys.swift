package import Base

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
