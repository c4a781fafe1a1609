/// How a refused signature is answered.
extension PushRefusal {
    /// Facts that only the receiver of the push knows.
    package struct Circumstances: Sendable {
        /// The leeway in seconds, as in the policy that refused.
        let leeway: Double
        /// Whether our own clock is known to be right.
        let isClockTrusted: Bool
        /// Whether the signature names the authority that the request was sent to.
        let namesAddressee: Bool

        package init(leeway: Double, isClockTrusted: Bool, namesAddressee: Bool = false) {
            self.leeway = leeway
            self.isClockTrusted = isClockTrusted
            self.namesAddressee = namesAddressee
        }

        /// A clock that is wrong by less may be corrected before the sender gives up.
        private static let patience: Double = 60 * 60

        /// Whether a difference of `excess` seconds beyond the leeway may pass by itself.
        func mayPass(_ excess: Double) -> Bool {
            !isClockTrusted || excess + leeway <= Self.patience
        }
    }

    package init(_ refusal: VAPIDRefusal, _ circumstances: Circumstances) {
        switch refusal {
        case .expired(let seconds):
            self = circumstances.mayPass(seconds) ? .clocksDiffer : .unauthorized(.expired)
        case .expiryTooFar(let seconds):
            self = circumstances.mayPass(seconds) ? .clocksDiffer : .unauthorized(.expiryTooFar)
        case .audienceMismatch where circumstances.namesAddressee: self = .unknownOrigin
        case .missingCryptoKey: self = .encryption(.missingCryptoKey)
        case .missingServerKey: self = .encryption(.missingServerKey)
        case .badCryptoKeyHeader: self = .encryption(.badCryptoKey)
        default: self = .unauthorized(Self.fault(refusal))
        }
    }

    private static func fault(_ refusal: VAPIDRefusal) -> AuthorizationFault {
        switch refusal {
        case .noAuthorization, .missingToken: .missingToken
        case .badAuthorization: .badField
        case .badScheme: .unknownScheme
        case .missingKey, .missingCryptoKey, .missingServerKey, .badCryptoKeyHeader: .missingKey
        case .badKey: .badKey
        case .badJWT: .badToken
        case .badAlgorithm: .badAlgorithm
        case .badSignature: .badSignature
        case .badExpiry: .badExpiry
        case .expired: .expired
        case .expiryTooFar: .expiryTooFar
        case .badAudience, .audienceMismatch: .badAudience
        case .keyNotSubscribed: .otherKey
        }
    }
}
