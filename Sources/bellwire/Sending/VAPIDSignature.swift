import Base
import Crypto
import System
import WebPush

/// A signed token that names the sender of a push, and the public key (RFC 8292).
struct VAPIDSignature: Confidential {
    let token: String
    let publicKey: String

    /// Half of what RFC 8292 section 2 allows, in case the clocks differ.
    private static let lifetime = 12 * 60 * 60

    init(
        for audience: Origin, key: borrowing PrivateKey, subject: String?
    ) throws(OpenSSLError) {
        var key = try SigningKey(key)
        let token = VAPIDToken(
            audience: audience, expiry: Int(WallClock.now) + Self.lifetime, subject: subject)
        let signature = try key.sign(token.signingInput.span)
        self.token = token.signed(signature.span)
        publicKey = key.publicKey.base64URL
    }

    /// The value of the field Authorization.
    var authorization: String { "vapid t=\(token), k=\(publicKey)" }
}
