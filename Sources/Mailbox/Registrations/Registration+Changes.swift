package import Base

/// What happens to a registration. Each change counts, and time is passed in.
extension Registration {
    /// How long the former endpoint, and the former signature of callbacks, stay good.
    private static let grace: UInt32 = 7 * 86_400
    private static let secretGrace: UInt32 = 48 * 3_600
    /// With more rotations than this within the grace, the oldest endpoint ends early.
    private static let targetLimit = 8

    /// Another endpoint with other keys takes its place. Answers those that end at once.
    package mutating func rotate(
        to target: Target, callbackSecret secret: Secret?, at now: StoreTime
    ) {
        let end = now.adding(seconds: Self.grace)
        targets[0].ends = end
        targets.insert(target, at: 0)
        for index in targets.indices.dropFirst(Self.targetLimit) { targets[index].ends = now }
        if let secret {
            callbackSecret = SecretPair(secret, after: callbackSecret, until: end)
        }
        change(at: now)
    }

    package mutating func replaceSecret(_ new: Secret, at now: StoreTime) {
        secret = SecretPair(new, after: secret, until: now.adding(seconds: Self.secretGrace))
        change(at: now)
    }

    /// A payload has come under the current secret, so whoever sends knows it.
    package mutating func forgetFormerSecret() {
        secret?.dropFormer()
        revision += 1
    }

    /// The application gave a sign of life. False where that changes too little to be written.
    package mutating func note(seenAt now: StoreTime) -> Bool {
        let step = Int64(min(terms.lifetime, terms.sessionTimeout)) * 1_000 / 24
        guard isPaused || now.milliseconds - seen.milliseconds >= step else { return false }
        change(at: now)
        return true
    }

    /// Another client of the account is in use.
    package mutating func pause() {
        isPaused = true
        revision += 1
    }

    private mutating func change(at now: StoreTime) {
        seen = max(seen, now)
        isPaused = false
        revision += 1
    }

    /// When `settle` has something to do.
    var due: StoreTime {
        let ends =
            targets.map(\.ends) + [secret?.formerEnds, callbackSecret?.formerEnds, expiry]
        return ends.compactMap(\.self).min() ?? expiry
    }

    /// Gives up what has run out. Answers the subscriptions that end; nil if the registration does.
    mutating func settle(at now: StoreTime) -> [UInt32]? {
        guard now < expiry else { return nil }
        func isOver(_ end: StoreTime?) -> Bool { end.map { $0 <= now } ?? false }
        let ended = targets.filter { isOver($0.ends) }.map(\.subscription)
        targets.removeAll { isOver($0.ends) }
        if isOver(secret?.formerEnds) { secret?.dropFormer() }
        if isOver(callbackSecret?.formerEnds) { callbackSecret?.dropFormer() }
        revision += 1
        return ended
    }
}
