package import Base
package import Crypto
package import Delivery
import Notifications
package import WebPush

/// Names a registration to its owner. It is useless without a credential.
package struct RegistrationID: RandomName {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// A new id. Its text starts with a capital letter, never with a hyphen, because it is typed as
    /// a command argument.
    package init(from random: inout RandomSupply) throws(OpenSSLError) {
        self.init(high: try random.word() & (.max >> 1), low: try random.word())
    }

    package var text: String {
        var text: [UInt8] = []
        bits.appendBase64URL(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// One registration: its endpoints, its keys and its terms.
///
/// It is a value: `settle` says what the passing of time changes. Its messages wait in a device row
/// of its own, so quotas, pages and the end of a credential work as for devices.
package struct Registration: Sendable, Confidential {
    /// An address that can be pushed to, with its keys.
    package struct Target: Sendable, Confidential {
        package let subscription: UInt32
        package let token: EndpointToken
        /// Nil for registrations without payloads.
        package let keys: Keys?
        /// When this address ends; nil until a rotation replaces it.
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

    /// A secret, and the former one while it is still accepted.
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
    package internal(set) var terms: RegistrationTerms
    /// The engine of its account; set once the store has the registration.
    package internal(set) var engine: UInt32 = 0
    /// Counts changes, so that one of two concurrent changes is refused.
    package internal(set) var revision: Int64 = 0
    /// The current target first, then former ones that are still alive after a rotation.
    package internal(set) var targets: [Target]
    /// Encrypts the payload a second time.
    package internal(set) var secret: SecretPair?
    /// The application's last sign of life.
    package internal(set) var seen: StoreTime
    /// Another client of the account is in use, so this one does not ring.
    package internal(set) var isPaused = false
    /// Others see that the user is online with a mobile client. `isOtherMobile` says the same for
    /// the other client.
    package internal(set) var isMobile = true
    package internal(set) var isOtherMobile = false
    /// The callback was told that the session has expired.
    package internal(set) var isAway = false
    /// The callback was told that the registration will end.
    package internal(set) var isWarned = false
    /// When the callback was last told what to call `registerDevice` with.
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

    /// Others may use its topic in another way, or it keeps something else.
    package mutating func set(topic: TopicTerms) {
        terms.topic = topic
        revision += 1
    }

    /// Topics do not expire.
    package var expiry: StoreTime {
        terms.isOnlyShown ? Self.never : seen.adding(seconds: terms.lifetime)
    }

    /// In thousands of years, so that nothing overflows that is counted from it.
    private static let never = StoreTime(milliseconds: 1 << 47)

    /// When the callback is warned: a quarter of the lifetime before the end, at most three days.
    var warning: StoreTime {
        let notice = min(terms.lifetime / 4, 3 * 86_400)
        return StoreTime(milliseconds: expiry.milliseconds - Int64(notice) * 1_000)
    }

    /// Telegram wants `registerDevice` repeated every day.
    package static let reminderInterval: UInt32 = 86_400

    var nextReminder: StoreTime { reminded.adding(seconds: Self.reminderInterval) }

    /// Until then the user counts as online without another sign of life.
    package var sessionEnd: StoreTime { seen.adding(seconds: terms.sessionTimeout) }

    package func isOnline(at now: StoreTime) -> Bool { !isPaused && now < sessionEnd }

    /// Whether the callback was last told that the user is online.
    var isThere: Bool { !isPaused && !isAway }

    /// What others see of the user.
    package struct Presence: Equatable, Sendable {
        package let isOnline: Bool
        package let isMobile: Bool
    }

    package func presence(at now: StoreTime) -> Presence { presence(isOnline: isOnline(at: now)) }

    /// The presence that the callback was last told.
    var presence: Presence { presence(isOnline: isThere) }

    private func presence(isOnline: Bool) -> Presence {
        Presence(
            isOnline: isOnline, isMobile: isPaused ? isOtherMobile : isOnline && isMobile)
    }

    /// Only ICQ's protocol has sessions that expire.
    var tellsSessionEnd: Bool { terms.callback != nil && terms.dialect == .icq && isThere }
}

/// Where to deliver a push that we decrypt for its registration.
package struct EnginePush: Sendable {
    let engine: UInt32
    private(set) var dialect: Dialect
    /// Unencrypted payloads may trigger actions.
    var trustsClear = false
    /// The user of the account, if the application named one.
    let userID: Int64?
    /// Other users of the application whose pushes arrive at the same endpoint.
    var otherUserIDs: [Int64] = []
    /// The payload is kept for a fetching client when nobody else receives it.
    let isFetched: Bool

    /// Where to deliver a text of the server itself, whatever the senders of the registration send.
    package var ofText: EnginePush { written(in: .plain) }
    /// Where to deliver a message of its topic.
    package var ofTopic: EnginePush { written(in: .topic) }

    private func written(in dialect: Dialect) -> EnginePush {
        var push = self
        push.dialect = dialect
        return push
    }
}

extension Registration {
    /// What the engine needs to know about a push.
    package var enginePush: EnginePush {
        EnginePush(
            engine: engine, dialect: terms.dialect, trustsClear: terms.trustsClear,
            userID: terms.userID, otherUserIDs: terms.otherUserIDs,
            isFetched: terms.callback == nil && !terms.isOnlyShown || terms.dialect == .icq)
    }
}
