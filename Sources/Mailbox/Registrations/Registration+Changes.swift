package import Base
package import Delivery

/// What happens to a registration. Each change counts, and time is passed in.
extension Registration {
    /// How long the former endpoint stays good.
    private static let grace: UInt32 = 7 * 86_400
    private static let secretGrace: UInt32 = 48 * 3_600
    /// With more rotations than this within the grace, the oldest endpoint ends early.
    private static let targetLimit = 8

    /// Another endpoint with other keys takes its place.
    package mutating func rotate(to target: Target, at now: StoreTime) {
        let end = now.adding(seconds: Self.grace)
        targets[0].ends = end
        targets.insert(target, at: 0)
        for index in targets.indices.dropFirst(Self.targetLimit) { targets[index].ends = now }
        reminded = now
        change(at: now)
    }

    /// Its callback is told what to call `registerDevice` with.
    mutating func remind(at now: StoreTime) {
        reminded = now
        revision += 1
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
        guard nextNote <= now else { return false }
        change(at: now)
        return true
    }

    /// From when on a sign of life changes enough to be written.
    var nextNote: StoreTime {
        guard isThere else { return StoreTime(milliseconds: .min) }
        let step = Int64(min(terms.lifetime, terms.sessionTimeout)) * 1_000 / 24
        return StoreTime(milliseconds: seen.milliseconds + step)
    }

    /// Another client of the account is in use.
    package mutating func pause(isMobile: Bool = false) {
        isPaused = true
        isOtherMobile = isMobile
        revision += 1
    }

    mutating func setMobile(_ isMobile: Bool) {
        self.isMobile = isMobile
        revision += 1
    }

    private mutating func change(at now: StoreTime) {
        seen = max(seen, now)
        isPaused = false
        isAway = false
        isWarned = false
        revision += 1
    }

    /// When `settle` has something to do.
    var due: StoreTime {
        let warning = terms.callback == nil || isWarned ? nil : warning
        let reminder = terms.callback == nil ? nil : nextReminder
        let session = tellsSessionEnd ? sessionEnd : nil
        let ends = targets.map(\.ends) + [secret?.formerEnds, warning, reminder, session, expiry]
        return ends.compactMap(\.self).min() ?? expiry
    }

    /// What time has done to a registration that lives on.
    struct Settlement {
        /// Subscriptions that end.
        var ended: [UInt32] = []
        /// Its callback is to be told that it will end.
        var warns = false
        /// Its callback is to be told what to call `registerDevice` with.
        var reminds = false
        /// Its callback is to be told that its user is not there any more.
        var leaves = false
    }

    /// Gives up what has run out; nil if the registration has.
    mutating func settle(at now: StoreTime) -> Settlement? {
        guard now < expiry else { return nil }
        func isOver(_ end: StoreTime?) -> Bool { end.map { $0 <= now } ?? false }
        var settlement = Settlement()
        settlement.ended = targets.filter { isOver($0.ends) }.map(\.subscription)
        targets.removeAll { isOver($0.ends) }
        if isOver(secret?.formerEnds) { secret?.dropFormer() }
        if terms.callback != nil, !isWarned, warning <= now {
            isWarned = true
            settlement.warns = true
        }
        if terms.callback != nil, nextReminder <= now {
            reminded = now
            settlement.reminds = true
        }
        if tellsSessionEnd, sessionEnd <= now {
            isAway = true
            settlement.leaves = true
        }
        revision += 1
        return settlement
    }
}
