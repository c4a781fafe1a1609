package import Base

/// The 256-byte key under which Telegram encrypts a push when `registerDevice` has set a secret.
///
/// The payload `p` is MTProto 2.0 from server to client (x = 8): key id (8) | msg_key (16) |
/// AES-256-IGE(length (4) | text | padding (12…1024)).
package struct MTProtoSecret: Sendable {
    package enum Refusal: String, Error, Sendable, CaseIterable {
        case notBase64URL = "bad-base64url"
        case badLength = "bad-length"
        case unknownKey = "unknown-key"
        case badMessageKey = "bad-msg-key"
        case badTextLength = "bad-text-length"
        case badPadding = "bad-padding"
    }

    package typealias Failure = CryptoError<Refusal>

    package static let length = 256
    private static let headerLength = 24
    private static let paddingLimits = 12...1024

    package let keyID: Int64
    private let secret: Secret

    /// Nil unless `secret` has 256 bytes.
    package init?(_ secret: Secret) {
        guard secret.count == Self.length else { return nil }
        self.secret = secret
        let digest = secret.withSpan { SHA1.digest(of: $0) }
        // The last 8 bytes of the SHA-1, least significant first, as MTProto writes numbers.
        keyID = (12..<20).reversed().reduce(0) { $0 << 8 | Int64(digest[$1]) }
    }

    /// The text inside `p`, which is base64url, with padding or without.
    package func decrypt(_ p: Span<UInt8>) throws(Failure) -> [UInt8] {
        guard let bytes = Base64URL.decodeToleratingPadding(p) else {
            throw .refusal(.notBase64URL)
        }
        let frame = bytes.span
        let length = frame.count - Self.headerLength
        guard length > 0, length % IGE.blockLength == 0 else { throw .refusal(.badLength) }
        guard (0..<8).reversed().reduce(Int64(0), { $0 << 8 | Int64(frame[$1]) }) == keyID else {
            throw .refusal(.unknownKey)
        }
        let messageKey = frame.extracting(8..<Self.headerLength)
        let plain: [UInt8]?
        do throws(OpenSSLError) {
            plain = try secret.withSpan { secret throws(OpenSSLError) in
                try Self.decrypt(
                    frame.extracting(Self.headerLength..<frame.count), messageKey, secret)
            }
        } catch {
            throw .fault(error)
        }
        guard let plain else { throw .refusal(.badMessageKey) }
        return try Self.text(plain)
    }

    /// Nil if msg_key does not match the decrypted bytes.
    private static func decrypt(
        _ sealed: Span<UInt8>, _ messageKey: Span<UInt8>, _ secret: Span<UInt8>
    ) throws(OpenSSLError) -> [UInt8]? {
        var hash = try SHA256()
        func digest(
            _ first: Span<UInt8>, _ second: Span<UInt8>
        ) throws(OpenSSLError) -> SHA256.Digest {
            try hash.begin()
            try hash.update(first)
            try hash.update(second)
            return try hash.finish()
        }
        let a = try digest(messageKey, secret.extracting(8..<44))
        let b = try digest(secret.extracting(48..<84), messageKey)
        let key = InlineArray<32, UInt8> { (8..<24).contains($0) ? b[$0] : a[$0] }
        let vector = InlineArray<32, UInt8> { (8..<24).contains($0) ? a[$0] : b[$0] }
        let plain = try IGE.decrypt(sealed, key: key.span, vector: vector.span)

        // All of msg_key is compared in constant time before any byte of the text is used.
        let expected = try digest(secret.extracting(96..<128), plain.span)
        let isGenuine = expected.span.extracting(8..<24).isEqualSecretly(to: messageKey)
        return isGenuine ? plain : nil
    }

    private static func text(_ plain: [UInt8]) throws(Failure) -> [UInt8] {
        let length = (0..<4).reversed().reduce(0) { $0 << 8 | Int(plain[$1]) }
        guard length <= plain.count - 4 else { throw .refusal(.badTextLength) }
        guard paddingLimits.contains(plain.count - 4 - length) else { throw .refusal(.badPadding) }
        return Array(plain[4..<4 + length])
    }
}
