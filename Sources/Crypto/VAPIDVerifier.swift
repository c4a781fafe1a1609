import Base
package import WebPush

/// Verifies application servers (RFC 8292) and remembers verified signatures. Use one per thread.
package struct VAPIDVerifier: ~Copyable {
    private var hash: SHA256
    private var cache: VAPIDCache
    /// How many signatures were checked because no earlier push had them, valid or not.
    package private(set) var signaturesChecked = 0

    package static let defaultCapacity = 4096

    package init(capacity: Int = defaultCapacity) throws(OpenSSLError) {
        hash = try SHA256()
        cache = VAPIDCache(capacity: capacity)
    }

    /// The signer of a push, if its two fields have a signature that `policy` accepts.
    package mutating func verify(
        authorization: [UInt8]?, cryptoKey: [UInt8]?, policy: VAPIDPolicy
    ) throws(VAPIDError) -> VAPIDCache.Entry {
        let fields = try VAPIDError.refusing { () throws(VAPIDRefusal) in
            try VAPIDAuthorization(authorization: authorization, cryptoKey: cryptoKey)
        }
        guard let authorization,
            let keyField = fields.scheme == .vapid ? authorization : cryptoKey
        else { throw .refusal(.noAuthorization) }
        let token = authorization.span.extracting(fields.token)
        let key = keyField.span.extracting(fields.key)

        let name: Digest
        do { name = try self.name(fields.scheme, token, key) } catch { throw .fault(error) }
        cache.age(at: policy.now)
        let entry: VAPIDCache.Entry
        if let known = cache.entry(for: name) {
            entry = known
        } else {
            entry = try verified(fields.scheme, token, key)
            let isKeyBound = policy.keyHash == KeyHash(entry.keyHash)
            cache.insert(
                entry, for: name, length: token.count, isKeyBound: isKeyBound, at: policy.now)
        }
        try VAPIDError.refusing { () throws(VAPIDRefusal) in try policy.check(entry) }
        return entry
    }

    /// Whether `verify` needs no signature check: the signature is known, or there is none.
    package mutating func knows(authorization: [UInt8]?, cryptoKey: [UInt8]?) -> Bool {
        let fields = try? VAPIDAuthorization(authorization: authorization, cryptoKey: cryptoKey)
        guard let fields, let authorization,
            let keyField = fields.scheme == .vapid ? authorization : cryptoKey
        else { return true }
        let name = try? name(
            fields.scheme, authorization.span.extracting(fields.token),
            keyField.span.extracting(fields.key))
        return name.flatMap { cache.entry(for: $0) } != nil
    }

    private mutating func name(
        _ scheme: VAPIDAuthorization.Scheme, _ token: Span<UInt8>, _ key: Span<UInt8>
    ) throws(OpenSSLError) -> Digest {
        // Neither part can contain the line feed that separates them.
        let separators: InlineArray<2, UInt8> = [scheme.rawValue, UInt8(ascii: "\n")]
        try hash.begin()
        try hash.update(separators.span)
        try hash.update(token)
        try hash.update(separators.span)
        try hash.update(key)
        return Digest(try hash.finish())
    }

    private mutating func verified(
        _ scheme: VAPIDAuthorization.Scheme, _ token: Span<UInt8>, _ keyText: Span<UInt8>
    ) throws(VAPIDError) -> VAPIDCache.Entry {
        guard let keyBytes = Base64URL.decodeToleratingAlphabet(keyText),
            let point = UncompressedPoint(keyBytes.span), let start = point.start
        else { throw .refusal(.badKey) }
        let webToken = try VAPIDError.refusing { () throws(VAPIDRefusal) in
            try JSONWebToken(token)
        }
        var keyHash: Digest?
        let isValid: Bool?
        do throws(OpenSSLError) {
            isValid = try isSigned(webToken, token, by: point)
            keyHash = Digest(try hash.digest(of: keyBytes.span))
        } catch {
            throw .fault(error)
        }
        guard let isValid, let keyHash else { throw .refusal(.badKey) }
        guard isValid else { throw .refusal(.badSignature) }
        let claims = try VAPIDError.refusing { () throws(VAPIDRefusal) in
            try webToken.claims(under: scheme)
        }
        return VAPIDCache.Entry(claims: claims, keyHash: keyHash, keyStart: start)
    }

    /// Nil if `point` is not on the curve.
    private mutating func isSigned(
        _ webToken: JSONWebToken, _ token: Span<UInt8>, by point: UncompressedPoint
    ) throws(OpenSSLError) -> Bool? {
        signaturesChecked &+= 1
        guard var key = try VerificationKey(point) else { return nil }
        let digest = try hash.digest(of: token.extracting(webToken.signingInput))
        return try key.verify(webToken.signature.span, of: digest)
    }
}
