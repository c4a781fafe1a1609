import COpenSSL
package import WebPush

/// A private key that makes ES256 signatures.
package struct SigningKey: ~Copyable {
    package let publicKey: UncompressedPoint
    private let key: KeyObject
    private var hash: SHA256

    package init(_ privateKey: borrowing PrivateKey) throws(OpenSSLError) {
        let scalar = try privateKey.number.secret(
            length: PrivateKey.length, isLittleEndian: true)
        let key = try privateKey.publicKey.withSpan { point throws(OpenSSLError) in
            try KeyObject.p256(publicKey: point, privateKey: scalar)
        }
        guard let key else { throw OpenSSLError("EVP_PKEY_fromdata") }
        let hash = try SHA256()
        publicKey = privateKey.publicKey
        self.key = key
        self.hash = hash
    }

    /// Returns r and s, 32 bytes each.
    package mutating func sign(_ bytes: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        let digest = try hash.digest(of: bytes)
        let context = try KeyContext(for: key)
        try ensure(EVP_PKEY_sign_init(context.handle), "EVP_PKEY_sign_init")
        var result: Int32 = 0
        let der = [UInt8](unsafeUninitializedCapacity: 72) { output, count in
            count = output.count
            result = digest.span.withUnsafeBufferPointer { digest in
                EVP_PKEY_sign(
                    context.handle, output.baseAddress, &count, digest.baseAddress, digest.count)
            }
            if result != 1 { count = 0 }
        }
        try ensure(result, "EVP_PKEY_sign")
        guard let raw = DERSignature.raw(der.span) else { throw OpenSSLError("EVP_PKEY_sign") }
        return raw
    }
}
