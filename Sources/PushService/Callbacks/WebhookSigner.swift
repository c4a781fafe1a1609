package import Base
package import Crypto

/// Signs requests by Standard Webhooks, version 1: HMAC-SHA-256 over id, time and body.
struct WebhookSigner: ~Copyable {
    private var hash: SHA256

    init() throws(OpenSSLError) { hash = try SHA256() }

    /// The three header fields of a request, with a signature for each secret.
    mutating func fields(
        id: String, seconds: Int64, body: [UInt8], secrets: [Secret]
    ) throws(OpenSSLError) -> [(name: String, value: String)] {
        var signatures: [String] = []
        for secret in secrets {
            signatures.append(
                "v1," + (try signature(id: id, seconds: seconds, body: body, secret)))
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    private mutating func signature(
        id: String, seconds: Int64, body: [UInt8], _ secret: Secret
    ) throws(OpenSSLError) -> String {
        let start = Array("\(id).\(seconds).".utf8)
        try secret.withSpan { key throws(OpenSSLError) in try hash.beginHMAC(key: key) }
        try hash.update(start.span)
        try hash.update(body.span)
        let digest = try hash.finishHMAC()
        return Base64.text(digest.span)
    }
}

/// The secret that signs the requests of one callback.
package enum WebhookSecret {
    private static let length = 32
    private static let prefix = "whsec_"

    package static func make() throws(OpenSSLError) -> Secret { try Random.secret(count: length) }

    /// The secret in the format of Standard Webhooks. It is shown once, to whoever made the
    /// callback.
    package static func text(of secret: Secret) -> String {
        prefix + secret.withSpan(Base64.text)
    }
}
