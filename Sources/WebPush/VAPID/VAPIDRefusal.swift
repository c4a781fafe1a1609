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
