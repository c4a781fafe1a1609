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

    /// Whether `signature`, in DER as authenticators write it, matches the hash of the signed bytes.
    package mutating func verify(
        der signature: Span<UInt8>, of digest: SHA256.Digest
    ) throws(OpenSSLError) -> Bool {
        guard let raw = DERSignature.raw(signature) else { return false }
        return try verify(raw.span, of: digest)
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

/// An ECDSA signature in OpenSSL's format: a DER sequence of two integers of at most 33 bytes.
struct DERSignature {
    private var bytes = InlineArray<72, UInt8>(repeating: 0)
    private var count = 2

    /// `raw` is r and s, 32 bytes each.
    init(_ raw: Span<UInt8>) {
        append(raw.extracting(0..<32))
        append(raw.extracting(32..<64))
        bytes[0] = 0x30
        bytes[1] = UInt8(count - 2)
    }

    /// Reads OpenSSL's DER; nil if it is not two integers of at most 32 bytes.
    static func raw(_ der: Span<UInt8>) -> [UInt8]? {
        var raw: [UInt8] = []
        var position = 2
        while position + 2 <= der.count, raw.count < 64 {
            let length = Int(der[position + 1])
            var start = position + 2
            let end = start + length
            guard der[position] == 0x02, end <= der.count else { return nil }
            while start < end, der[start] == 0 { start += 1 }
            guard end - start <= 32 else { return nil }
            raw += repeatElement(0, count: 32 - (end - start))
            for index in start..<end { raw.append(der[index]) }
            position = end
        }
        return raw.count == 64 && position == der.count ? raw : nil
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.span.extracting(0..<count).withUnsafeBufferPointer(body)
    }

    /// Appends the number in its shortest form that is not negative.
    private mutating func append(_ number: Span<UInt8>) {
        var start = 0
        while start < number.count - 1, number[start] == 0 { start += 1 }
        let needsZero = number[start] >= 0x80
        bytes[count] = 0x02
        bytes[count + 1] = UInt8(number.count - start + (needsZero ? 1 : 0))
        count += 2
        if needsZero { count += 1 }
        for index in start..<number.count {
            bytes[count] = number[index]
            count += 1
        }
    }
}
