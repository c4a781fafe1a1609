import Crypto
import WebPush

/// Authorization fields of several application servers, cached after their first use.
final class Tokens {
    private static let serverCount = 16
    private static let origin = "https://push.example.org"
    private static let now = 1_700_000_000

    private let fields: [[UInt8]]
    private var verifier: VAPIDVerifier
    private let policy = VAPIDPolicy(
        now: Double(now), origins: [Array(origin.utf8)], leeway: 60)

    static func unsigned(expiry: Int) -> VAPIDToken {
        guard let audience = Origin(url: origin) else {
            preconditionFailure("the origin is not a URL")
        }
        return VAPIDToken(
            audience: audience, expiry: now + expiry, subject: "mailto:admin@example.org")
    }

    init() throws {
        let fields = try (0..<Self.serverCount).flatMap { _ in try Self.fieldsOfOneServer() }
        let verifier = try VAPIDVerifier()
        self.fields = fields
        self.verifier = verifier
    }

    private static func fieldsOfOneServer() throws -> [[UInt8]] {
        let privateKey = try PrivateKey.generate()
        var signer = try SigningKey(privateKey)
        let key = signer.publicKey.base64URL
        return try (0..<Contest.itemCount / serverCount).map { index in
            let token = unsigned(expiry: index)
            let signature = try signer.sign(token.signingInput.span)
            let text = token.signed(signature.span)
            return Array("vapid t=\(text), k=\(key)".utf8)
        }
    }

    func verify(_ item: Int) throws {
        _ = try verifier.verify(
            authorization: fields[item], cryptoKey: nil, policy: policy)
    }
}
