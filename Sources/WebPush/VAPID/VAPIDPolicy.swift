/// What a signature is checked against at every use, even if it was verified before.
package struct VAPIDPolicy: Sendable {
    /// Seconds since 1970.
    package var now: Double
    /// Every accepted spelling of this service in `aud`.
    package var origins: [[UInt8]]
    /// Seconds by which clocks may differ.
    package var leeway: Double
    /// The hash of the key that the endpoint is bound to, if it is.
    package var keyHash: KeyHash?

    package init(now: Double, origins: [[UInt8]], leeway: Double, keyHash: KeyHash? = nil) {
        self.now = now
        self.origins = origins
        self.leeway = leeway
        self.keyHash = keyHash
    }

    /// RFC 8292 section 2: no token may live longer.
    package static let lifetimeLimit: Double = 24 * 60 * 60

    package func check(_ entry: VAPIDCache.Entry) throws(VAPIDRefusal) {
        guard keyHash == nil || keyHash == KeyHash(entry.keyHash) else { throw .keyNotSubscribed }
        let late = now - leeway - entry.claims.expiry
        guard late <= 0 else { throw .expired(by: late) }
        let early = entry.claims.expiry - (now + leeway + Self.lifetimeLimit)
        guard early <= 0 else { throw .expiryTooFar(by: early) }
        guard entry.claims.audiences.contains(where: origins.contains) else {
            throw .audienceMismatch
        }
    }
}
