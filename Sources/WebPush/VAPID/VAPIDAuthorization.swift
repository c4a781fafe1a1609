import Base

/// The positions of token and key in the fields of a push.
package struct VAPIDAuthorization: Equatable, Sendable {
    package enum Scheme: UInt8, Sendable {
        /// RFC 8292 section 3: `vapid t=…, k=…`.
        case vapid
        /// draft-ietf-webpush-vapid-01: `WebPush …`, the key in Crypto-Key as `p256ecdsa`.
        case webPush
        /// draft-ietf-webpush-vapid-00, otherwise as `webPush`.
        case bearer
    }

    package let scheme: Scheme
    /// The token, in Authorization.
    package let token: Range<Int>
    /// The key, in Authorization for `vapid`, and in Crypto-Key for the older schemes.
    package let key: Range<Int>

    package init(
        authorization: [UInt8]?, cryptoKey: [UInt8]?
    ) throws(VAPIDRefusal) {
        guard let field = authorization else { throw .noAuthorization }
        let authorization = field.span
        var start = 0
        while start < authorization.count, authorization[start].isBlank { start += 1 }
        var end = start
        while end < authorization.count, !authorization[end].isBlank { end += 1 }
        let scheme = authorization.extracting(start..<end)

        if scheme.equalsIgnoringCase("vapid") {
            self.scheme = .vapid
            (token, key) = try Self.parameters(authorization, from: end)
            return
        }
        if scheme.equalsIgnoringCase("WebPush") {
            self.scheme = .webPush
        } else if scheme.equalsIgnoringCase("Bearer") {
            self.scheme = .bearer
        } else {
            throw .badScheme
        }
        token = try Self.bareToken(authorization, from: end)
        key = try Self.applicationServerKey(cryptoKey)
    }

    /// `t` and `k` once each, in any order; other parameters are ignored (RFC 8292 section 3).
    private static func parameters(
        _ field: Span<UInt8>, from start: Int
    ) throws(VAPIDRefusal) -> (token: Range<Int>, key: Range<Int>) {
        var token: Range<Int>?
        var key: Range<Int>?
        var count = 0
        var isRepeated = false
        let rest = field.extracting(start..<field.count)
        // Some senders write keys in standard base64; tokens already allow one of its two other
        // characters.
        let slash = UInt8(ascii: "/")
        let entries = try? HeaderParameters.forEach(in: rest, or: slash) { parameter in
            let name = rest.extracting(parameter.name)
            count += 1
            if name.equalsIgnoringCase("t") {
                isRepeated = isRepeated || token != nil
                token = parameter.value
            } else if name.equalsIgnoringCase("k") {
                isRepeated = isRepeated || key != nil
                key = parameter.value
            }
        }
        // With a semicolon two parameters would be in one entry.
        guard entries == count, !isRepeated else { throw .badAuthorization }
        guard let token else { throw .missingToken }
        guard let key else { throw .missingKey }
        return (token.shifted(by: start), key.shifted(by: start))
    }

    private static func bareToken(
        _ field: Span<UInt8>, from start: Int
    ) throws(VAPIDRefusal) -> Range<Int> {
        var first = start
        while first < field.count, field[first].isBlank { first += 1 }
        var end = first
        while end < field.count, field[end].isTokenCharacter { end += 1 }
        var rest = end
        while rest < field.count, rest - end < Base64URL.paddingLimit,
            field[rest] == UInt8(ascii: "=")
        {
            rest += 1
        }
        while rest < field.count, field[rest].isBlank { rest += 1 }
        guard end > first, rest == field.count else { throw .badAuthorization }
        return first..<end
    }

    private static func applicationServerKey(
        _ cryptoKey: [UInt8]?
    ) throws(VAPIDRefusal) -> Range<Int> {
        guard let cryptoKey else { throw .missingCryptoKey }
        let key: Range<Int>?
        do {
            key = try EncryptionFields.cryptoKeyParameter("p256ecdsa", in: cryptoKey.span)
        } catch {
            throw .badCryptoKeyHeader
        }
        guard let key else { throw .missingServerKey }
        return key
    }
}

extension Range<Int> {
    func shifted(by distance: Int) -> Self { lowerBound + distance..<upperBound + distance }
}

/// Why an application server's signature (RFC 8292) is not accepted.
package enum VAPIDRefusal: Error, Equatable, Sendable {
    case noAuthorization
    case badAuthorization
    case badScheme
    case missingToken
    /// `k` of the scheme `vapid`.
    case missingKey
    /// Crypto-Key is missing, where the older schemes put their key.
    case missingCryptoKey
    case missingServerKey
    case badCryptoKeyHeader
    case badKey
    case badJWT
    case badAlgorithm
    case badSignature
    case badExpiry
    /// Seconds beyond the leeway; a small number may be our clock's fault.
    case expired(by: Double)
    case expiryTooFar(by: Double)
    case badAudience
    case audienceMismatch
    case keyNotSubscribed

    /// The word for tests and counters.
    package var word: String {
        switch self {
        case .noAuthorization: "no-authorization"
        case .badAuthorization: "bad-authorization"
        case .badScheme: "bad-scheme"
        case .missingToken: "missing-t"
        case .missingKey, .missingCryptoKey, .missingServerKey: "missing-k"
        case .badCryptoKeyHeader: "bad-crypto-key-header"
        case .badKey: "bad-k"
        case .badJWT: "bad-jwt"
        case .badAlgorithm: "bad-alg"
        case .badSignature: "bad-signature"
        case .badExpiry: "bad-exp"
        case .expired: "expired"
        case .expiryTooFar: "exp-too-far"
        case .badAudience: "bad-aud"
        case .audienceMismatch: "aud-mismatch"
        case .keyNotSubscribed: "key-not-subscribed"
        }
    }
}
