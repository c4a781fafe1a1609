import Base
import Crypto
import Foundation
import WebPush

/// An application server with a key of its own.
struct Sender {
    private let privateKey: [UInt8]
    let publicKey: String

    init() throws {
        let key = try PrivateKey.generate()
        let secret = try key.bytes
        privateKey = secret.withSpan { $0.array($0.indices) }
        publicKey = key.publicKey.base64URL
    }

    /// A signed token with these claims, in JSON.
    func token(claims: String) throws -> String {
        let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
        let input = Base64URL.text(header.span) + "." + Base64URL.text(Array(claims.utf8).span)
        guard let key = try PrivateKey(privateKey.span) else {
            throw CocoaError(.coderInvalidValue)
        }
        var signing = try SigningKey(key)
        let signature = try signing.sign(Array(input.utf8).span)
        return input + "." + Base64URL.text(signature.span)
    }

    /// `after`: seconds from now until it expires.
    func token(for audience: String = "https://push.example", after seconds: Int = 3_600) throws
        -> String
    {
        let expiry = Int(Date().timeIntervalSince1970) + seconds
        return try token(claims: #"{"aud":"\#(audience)","exp":\#(expiry)}"#)
    }

    func field(_ token: String) -> (String, String) {
        ("Authorization", "vapid t=\(token),k=\(publicKey)")
    }

    func field(for audience: String = "https://push.example", after seconds: Int = 3_600) throws
        -> (String, String)
    {
        field(try token(for: audience, after: seconds))
    }
}
