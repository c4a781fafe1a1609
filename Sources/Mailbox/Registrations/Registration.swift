package import Base
package import Crypto
package import Delivery
package import WebPush

/// Names a registration to its owner. Whoever knows it can do nothing without a credential.
package struct RegistrationID: RandomName {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// A new one. Its text begins with a capital letter, never with a hyphen: it is typed as an
    /// argument of commands.
    package init(from random: inout RandomSupply) throws(OpenSSLError) {
        self.init(high: try random.word() & (.max >> 1), low: try random.word())
    }

    package var text: String {
        var text: [UInt8] = []
        bits.appendBase64URL(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// One registration: its endpoints, its keys, and what was asked for.
///
/// A value: what happens to it with time is told by `settle`. Its messages are those of a device of
/// its own, so quotas, pages and the end of a credential are those of devices.
package struct Registration: Sendable, Confidential {
    /// An address to which may be pushed, with the keys for it.
    package struct Target: Sendable, Confidential {
        package let subscription: UInt32
        package let token: EndpointToken
        /// Nil where there is no payload.
        package let keys: Keys?
        /// When it ends, after a rotation.
        package internal(set) var ends: StoreTime?

        package init(subscription: UInt32, token: EndpointToken, keys: Keys?) {
            self.subscription = subscription
            self.token = token
            self.keys = keys
        }
    }

    package struct Keys: Sendable, Confidential {
        package let publicKey: UncompressedPoint
        package let privateKey: Secret
        package let auth: Secret

        package init(publicKey: UncompressedPoint, privateKey: Secret, auth: Secret) {
            self.publicKey = publicKey
            self.privateKey = privateKey
            self.auth = auth
        }
    }

    /// A secret, and the former one for as long as it serves.
    package struct SecretPair: Sendable, Confidential {
        package let current: Secret
        package internal(set) var former: Secret?
        package internal(set) var formerEnds: StoreTime?

        package init(_ secret: Secret) { current = secret }

        init(_ secret: Secret, after pair: SecretPair?, until end: StoreTime) {
            current = secret
            former = pair?.current
            formerEnds = pair == nil ? nil : end
        }

        init(current: Secret, former: Secret?, formerEnds: StoreTime?) {
            self.current = current
            self.former = former
            self.formerEnds = formerEnds
        }

        mutating func dropFormer() {
            former = nil
            formerEnds = nil
        }
    }

    package let id: RegistrationID
    package let device: UInt32
    package let owner: String
    /// Milliseconds since 1970.
    package let created: Int64
    package let terms: RegistrationTerms
    /// That of its account: the store knows which, once it has the registration.
    package internal(set) var engine: UInt32 = 0
    /// Counts changes, so that of two at the same time one is refused.
    package internal(set) var revision: Int64 = 0
    /// The current one first, then those that are still alive after a rotation.
    package internal(set) var targets: [Target]
    /// Under which the payload is encrypted once more.
    package internal(set) var secret: SecretPair?
    /// The last sign of life of the application.
    package internal(set) var seen: StoreTime
    /// Another client of the account is in use: this one does not ring.
    package internal(set) var isPaused = false
    /// Others are told that its user is there by a mobile client; of the other one the same.
    package internal(set) var isMobile = true
    package internal(set) var isOtherMobile = false
    /// Its callback was told that its session has run out.
    package internal(set) var isAway = false
    /// Its callback was told that it will end if nothing happens.
    package internal(set) var isWarned = false
    /// When its callback was told last what to call `registerDevice` with.
    package internal(set) var reminded: StoreTime

    package init(
        id: RegistrationID, device: UInt32, owner: String, created: Int64,
        terms: RegistrationTerms, target: Target, secret: Secret?, seen: StoreTime
    ) {
        self.id = id
        self.device = device
        self.owner = owner
        self.created = created
        self.terms = terms
        targets = [target]
        self.secret = secret.map { SecretPair($0) }
        self.seen = seen
        reminded = seen
    }
}

extension Registration {
    package var target: Target { targets[0] }

    package var expiry: StoreTime { seen.adding(seconds: terms.lifetime) }

    /// When its callback is told that it will end: a quarter of its life before, three days at most.
    var warning: StoreTime {
        let notice = min(terms.lifetime / 4, 3 * 86_400)
        return StoreTime(milliseconds: expiry.milliseconds - Int64(notice) * 1_000)
    }

    /// Telegram wants `registerDevice` repeated every day.
    package static let reminderInterval: UInt32 = 86_400

    var nextReminder: StoreTime { reminded.adding(seconds: Self.reminderInterval) }

    /// Until when its user counts as online without another sign of life.
    package var sessionEnd: StoreTime { seen.adding(seconds: terms.sessionTimeout) }

    package func isOnline(at now: StoreTime) -> Bool { !isPaused && now < sessionEnd }

    /// Whether its user is online, as its callback was told last.
    var isThere: Bool { !isPaused && !isAway }

    /// What others see of its user.
    package struct Presence: Equatable, Sendable {
        package let isOnline: Bool
        package let isMobile: Bool
    }

    package func presence(at now: StoreTime) -> Presence { presence(isOnline: isOnline(at: now)) }

    /// As its callback was told last.
    var presence: Presence { presence(isOnline: isThere) }

    private func presence(isOnline: Bool) -> Presence {
        Presence(
            isOnline: isOnline, isMobile: isPaused ? isOtherMobile : isOnline && isMobile)
    }

    /// Sessions run out where the protocol has them: ICQ's.
    var tellsSessionEnd: Bool { terms.callback != nil && terms.dialect == .icq && isThere }
}
