/// What is wrong with a required signature. The raw value is the text for the sender.
package enum AuthorizationFault: String, Sendable, CaseIterable {
    case missingToken = "Missing VAPID token"
    case missingKey = "Missing VAPID public key"
    case unknownScheme = "Unknown auth scheme"
    case badField = "Invalid VAPID token: the Authorization header cannot be read"
    case badToken = "Invalid VAPID token: not a signed JSON Web Token"
    case badAlgorithm = "Invalid VAPID token: InvalidAlgorithm"
    case badSignature = "Invalid VAPID token: InvalidSignature"
    case badExpiry = "Invalid VAPID token: exp is missing or no number"
    case expired = "Invalid VAPID token: ExpiredSignature"
    case expiryTooFar = "The VAPID token expiration is too long"
    case badKey = "Invalid VAPID public key: not a point of P-256 in base64url"
    case badAudience = "Invalid VAPID audience"
    case otherKey = "VAPID public key mismatch"
}
