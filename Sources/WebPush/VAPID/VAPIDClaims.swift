/// The claims of a verified signature.
package struct VAPIDClaims: Equatable, Sendable {
    package let audiences: [[UInt8]]
    /// Seconds since 1970; may have a fraction (RFC 7519 section 2, NumericDate).
    package let expiry: Double
}
