import Base

/// The token that our own sender signs (RFC 8292 section 2).
package struct VAPIDToken: Sendable, Confidential {
    /// Header and claims in base64url, joined by a dot: what ES256 signs.
    package let signingInput: [UInt8]

    package init(audience: Origin, expiry: Int, subject: String?) {
        var header = JSONWriter()
        header.object { header in
            header.member("typ", "JWT")
            header.member("alg", "ES256")
        }
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("aud", audience.description)
            claims.member("exp", expiry)
            if let subject { claims.member("sub", subject) }
        }
        signingInput =
            Base64URL.encode(header.bytes.span) + [UInt8(ascii: ".")]
            + Base64URL.encode(claims.bytes.span)
    }

    /// The compact form with its signature.
    package func signed(_ signature: Span<UInt8>) -> String {
        String(decoding: signingInput, as: UTF8.self) + "." + Base64URL.text(signature)
    }
}
