package import Base

/// A key from which the keys of sealed fields are derived.
package struct MasterKey: Sendable {
    package static let length = 32

    /// Identifies the key in what it sealed. It is derived from the key, and reveals nothing about
    /// it.
    package let id: UInt64
    let secret: Secret

    /// Nil unless `secret` has 32 bytes.
    package init?(_ secret: Secret) throws(OpenSSLError) {
        guard secret.count == Self.length else { return nil }
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: secret, "bellwire master key id")
        }
        id = (0..<8).reduce(0) { $0 << 8 | UInt64(digest[$1]) }
        self.secret = secret
    }

    package static func generate() throws(OpenSSLError) -> MasterKey {
        guard let key = try MasterKey(try Random.secret(count: length)) else {
            preconditionFailure("the master key does not have \(length) bytes")
        }
        return key
    }

    /// A key for something else than sealed fields.
    package func key(for purpose: StaticString) throws(OpenSSLError) -> Secret {
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: secret, purpose)
        }
        return Secret(digest.span)
    }

    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        secret.withSpan(body)
    }
}
