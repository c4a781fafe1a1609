import COpenSSL
package import WebPush

/// A public key that verifies ES256 signatures (RFC 7518 section 3.4), prepared for many of them.
package struct VerificationKey: ~Copyable {
    private let key: KeyObject
    private let context: KeyContext

    /// Nil if `point` is not on the curve.
    package init?(_ point: UncompressedPoint) throws(OpenSSLError) {
        let key = try point.withSpan { point throws(OpenSSLError) in
            try KeyObject.p256(publicKey: point)
        }
        guard let key else { return nil }
        let context = try KeyContext(for: key)
        try ensure(EVP_PKEY_verify_init(context.handle), "EVP_PKEY_verify_init")
        self.key = key
        self.context = context
    }

    /// Whether `signature`, r and s of 32 bytes each, matches the hash of the signed bytes.
    package mutating func verify(
        _ signature: Span<UInt8>, of digest: SHA256.Digest
    ) throws(OpenSSLError) -> Bool {
        guard signature.count == 64 else { return false }
        let encoded = DERSignature(signature)
        let result = encoded.withBytes { signature in
            digest.span.withUnsafeBufferPointer { digest in
                EVP_PKEY_verify(
                    context.handle, signature.baseAddress, signature.count, digest.baseAddress,
                    digest.count)
            }
        }
        // Zero also stands for an r or s outside 1…n−1.
        return try OpenSSLError.isTaken(result, "EVP_PKEY_verify", givesReason: false)
    }
}
