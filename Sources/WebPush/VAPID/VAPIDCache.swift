package import Base

/// Verified signatures, so that a token used again needs no second verification.
///
/// The table is keyed by a hash of scheme, token and key exactly as sent. It is limited in number,
/// in bytes and for each key. Keys bound to an endpoint have their own slots, which strangers
/// cannot fill.
package struct VAPIDCache: Sendable {
    package struct Entry: Equatable, Sendable {
        package let claims: VAPIDClaims
        package let keyHash: Digest
        /// The first half of the key's x coordinate, enough bits to be unique.
        package let keyStart: Bits128

        package init(
            claims: VAPIDClaims, keyHash: Digest, keyStart: Bits128 = Bits128(high: 0, low: 0)
        ) {
            self.claims = claims
            self.keyHash = keyHash
            self.keyStart = keyStart
        }
    }

    package static let tokensPerKey = 64
    /// Longer tokens, or those with more audiences, are accepted too, but verified each time.
    package static let tokenLimit = 2_048
    package static let audienceLimit = 8
    /// The limit for each kind of slots; 4,096 usual tokens need 1.5 MB.
    package static let byteLimit = 2 << 20
    /// The lifetime of an entry in seconds; no token is valid for longer than a day.
    static let lifetime = VAPIDPolicy.lifetimeLimit

    private var bound: Slots
    private var unbound: Slots

    package init(capacity: Int, byteLimit: Int = byteLimit) {
        bound = Slots(capacity: capacity, byteLimit: byteLimit)
        unbound = Slots(capacity: capacity, byteLimit: byteLimit)
    }

    package var count: Int { bound.entries.count + unbound.entries.count }
    package var byteCount: Int { bound.byteCount + unbound.byteCount }

    package func entry(for token: Digest) -> Entry? {
        bound.entries[token] ?? unbound.entries[token]
    }

    /// `length` is that of the token. `now` is in seconds since 1970.
    package mutating func insert(
        _ entry: Entry, for token: Digest, length: Int, isKeyBound: Bool, at now: Double
    ) {
        guard length <= Self.tokenLimit, entry.claims.audiences.count <= Self.audienceLimit
        else { return }
        if isKeyBound {
            bound.insert(entry, token, at: now)
        } else {
            unbound.insert(entry, token, at: now)
        }
    }

    /// Removes entries older than the lifetime of a token.
    package mutating func age(at now: Double) {
        bound.age(at: now)
        unbound.age(at: now)
    }
}

extension VAPIDCache.Entry {
    /// Its approximate size, with its entries in the tables.
    fileprivate var byteCount: Int {
        claims.audiences.reduce(256) { $0 + 64 + $1.count }
    }
}

extension VAPIDCache {
    private struct Slots: Sendable {
        let capacity: Int
        let byteLimit: Int
        var entries: [Digest: Entry] = [:]
        var byteCount = 0
        /// The tokens of each key and of all, oldest first.
        var byKey: [Digest: [Digest]] = [:]
        var order: [(token: Digest, since: Double)] = []
        var oldest = 0

        init(capacity: Int, byteLimit: Int) {
            self.capacity = capacity
            self.byteLimit = byteLimit
        }

        mutating func insert(_ entry: Entry, _ token: Digest, at now: Double) {
            guard entries[token] == nil else { return }
            if let ofKey = byKey[entry.keyHash], ofKey.count >= tokensPerKey {
                remove(ofKey[0])
            }
            let size = entry.byteCount
            while !entries.isEmpty, entries.count >= capacity || byteCount + size > byteLimit {
                removeOldest()
            }
            entries[token] = entry
            byteCount += size
            byKey[entry.keyHash, default: []].append(token)
            order.append((token, now))
            compact()
        }

        mutating func age(at now: Double) {
            // This uses `abs`, because entries would otherwise stay for long after the clock was
            // set back.
            while oldest < order.count, abs(now - order[oldest].since) > lifetime {
                removeOldest()
            }
            if oldest == order.count, oldest > 0 { forgetOrder() }
        }

        private mutating func removeOldest() {
            remove(order[oldest].token)
            oldest += 1
        }

        /// A removed token may still be in `order`; it is skipped there.
        private mutating func remove(_ token: Digest) {
            guard let entry = entries.removeValue(forKey: token) else { return }
            byteCount -= entry.byteCount
            byKey[entry.keyHash]?.removeAll { $0 == token }
            if byKey[entry.keyHash]?.isEmpty == true { byKey[entry.keyHash] = nil }
        }

        private mutating func compact() {
            guard order.count > 2 * capacity else { return }
            order = order[oldest...].filter { entries[$0.token] != nil }
            oldest = 0
        }

        /// All tokens are gone; frees their memory.
        private mutating func forgetOrder() {
            self = Slots(capacity: capacity, byteLimit: byteLimit)
        }
    }
}

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

/// The first 120 bits of the SHA-256 of a public key: enough that nobody finds a second key with
/// them.
package struct KeyHash: Hashable, Sendable {
    package let high: UInt64
    /// Its last byte is zero.
    package let low: UInt64

    package init(_ digest: Digest) { self.init(high: digest.words.0, low: digest.words.1) }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low & ~0xFF
    }
}
