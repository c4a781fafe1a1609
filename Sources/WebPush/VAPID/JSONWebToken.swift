import Base

/// A compact JWS (RFC 7515 section 7.1) with an ES256 header. The signature is not verified yet.
package struct JSONWebToken: Sendable, Confidential {
    /// The part of the token that is signed.
    package let signingInput: Range<Int>
    /// r and s, 32 bytes each (RFC 7518 section 3.4).
    package let signature: [UInt8]
    private let claims: [UInt8]

    package init(_ token: Span<UInt8>) throws(VAPIDRefusal) {
        let dot = UInt8(ascii: ".")
        guard let first = token.firstIndex(of: dot),
            let second = token.firstIndex(of: dot, from: first + 1),
            token.firstIndex(of: dot, from: second + 1) == nil,
            let header = Base64URL.decode(token.extracting(0..<first)),
            let claims = Base64URL.decode(token.extracting(first + 1..<second))
        else { throw .badJWT }
        try Self.check(header: header)
        let signature = Base64URL.decodeToleratingPadding(
            token.extracting(second + 1..<token.count))
        guard let signature, signature.count == 64 else { throw .badSignature }
        self.signature = signature
        self.claims = claims
        signingInput = 0..<second
    }

    private static func check(header: [UInt8]) throws(VAPIDRefusal) {
        var isES256 = false
        var isCritical = false
        var scanner = JSONScanner(header)
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                guard scanner.isEqual(name, "alg"), !isES256 else {
                    isCritical = isCritical || scanner.isEqual(name, "crit")
                    return try scanner.skipValue()
                }
                guard case .string(let value) = try scanner.next() else { return }
                isES256 = scanner.isEqual(value, "ES256")
            }
            try scanner.expectEnd()
        } catch {
            throw .badJWT
        }
        // RFC 7515 section 4.1.11: no extension is supported, so none may be critical.
        guard !isCritical else { throw .badJWT }
        guard isES256 else { throw .badAlgorithm }
    }

    /// The claims that RFC 8292 section 2 defines. `scheme` decides on one exception.
    package func claims(
        under scheme: VAPIDAuthorization.Scheme
    ) throws(VAPIDRefusal) -> VAPIDClaims {
        var audiences: [[UInt8]]?
        var expiry: Double?
        var refusal = VAPIDRefusal.badJWT
        var scanner = JSONScanner(claims)
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                if scanner.isEqual(name, "aud") {
                    audiences = try Self.audiences(&scanner)
                } else if scanner.isEqual(name, "exp") {
                    refusal = .badExpiry
                    expiry = try Self.expiry(&scanner, scheme)
                    refusal = .badJWT
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.expectEnd()
        } catch {
            throw refusal
        }
        guard let expiry else { throw .badExpiry }
        guard let audiences else { throw .badAudience }
        return VAPIDClaims(audiences: audiences, expiry: expiry)
    }

    /// A string or an array of strings (RFC 7519 section 4.1.3).
    private static func audiences(
        _ scanner: inout JSONScanner
    ) throws(JSONScanner.Failure) -> [[UInt8]]? {
        guard scanner.isAtArray else {
            return try scanner.stringOrSkip().map { [scanner.utf8(of: $0)] }
        }
        var audiences: [[UInt8]] = []
        try scanner.forEachElement { scanner throws(JSONScanner.Failure) in
            guard let text = try scanner.stringOrSkip() else { return }
            audiences.append(scanner.utf8(of: text))
        }
        return audiences
    }

    /// A number of seconds. py_vapid before 1.3 wrote it as a string, always with the scheme
    /// `WebPush`.
    private static func expiry(
        _ scanner: inout JSONScanner, _ scheme: VAPIDAuthorization.Scheme
    ) throws(JSONScanner.Failure) -> Double? {
        guard !scanner.isAtObject, !scanner.isAtArray else {
            try scanner.skipValue()
            return nil
        }
        switch try scanner.next() {
        case .number(let range):
            let value = Double(String(decoding: scanner.bytes[range], as: UTF8.self))
            return value.flatMap { $0.isFinite ? $0 : nil }
        case .string(let text) where scheme == .webPush:
            let digits = scanner.utf8(of: text)
            return Int64(decimalDigits: digits.span).map(Double.init)
        default: return nil
        }
    }
}

/// The claims of a verified signature.
package struct VAPIDClaims: Equatable, Sendable {
    package let audiences: [[UInt8]]
    /// Seconds since 1970; may have a fraction (RFC 7519 section 2, NumericDate).
    package let expiry: Double
}

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
