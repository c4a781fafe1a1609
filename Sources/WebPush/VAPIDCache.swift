package import Base

/// Signatures that verified, so that a token used again costs no second verification.
///
/// Keyed by a hash of scheme, token and key exactly as sent. Bounded in all and for each key; keys
/// that an endpoint is bound to have slots of their own, which strangers cannot fill.
package struct VAPIDCache: Sendable {
    package struct Entry: Equatable, Sendable {
        package let claims: VAPIDClaims
        package let keyHash: Digest

        package init(claims: VAPIDClaims, keyHash: Digest) {
            self.claims = claims
            self.keyHash = keyHash
        }
    }

    package static let tokensPerKey = 64

    private var bound: Slots
    private var unbound: Slots

    package init(capacity: Int) {
        bound = Slots(capacity: capacity)
        unbound = Slots(capacity: capacity)
    }

    package var count: Int { bound.entries.count + unbound.entries.count }

    package func entry(for token: Digest) -> Entry? {
        bound.entries[token] ?? unbound.entries[token]
    }

    package mutating func insert(_ entry: Entry, for token: Digest, isKeyBound: Bool) {
        if isKeyBound { bound.insert(entry, token) } else { unbound.insert(entry, token) }
    }
}

extension VAPIDCache {
    private struct Slots: Sendable {
        let capacity: Int
        var entries: [Digest: Entry] = [:]
        /// The tokens of each key and of all, oldest first.
        var byKey: [Digest: [Digest]] = [:]
        var order: [Digest] = []
        var oldest = 0

        init(capacity: Int) { self.capacity = capacity }

        mutating func insert(_ entry: Entry, _ token: Digest) {
            guard entries[token] == nil else { return }
            if let ofKey = byKey[entry.keyHash], ofKey.count >= tokensPerKey {
                remove(ofKey[0])
            }
            while entries.count >= capacity { removeOldest() }
            entries[token] = entry
            byKey[entry.keyHash, default: []].append(token)
            order.append(token)
            compact()
        }

        private mutating func removeOldest() {
            remove(order[oldest])
            oldest += 1
        }

        /// A token that is gone already may still stand in `order`; it is passed over there.
        private mutating func remove(_ token: Digest) {
            guard let entry = entries.removeValue(forKey: token) else { return }
            byKey[entry.keyHash]?.removeAll { $0 == token }
            if byKey[entry.keyHash]?.isEmpty == true { byKey[entry.keyHash] = nil }
        }

        private mutating func compact() {
            guard order.count > 2 * capacity else { return }
            order = order[oldest...].filter { entries[$0] != nil }
            oldest = 0
        }
    }
}
