/// The rules that follow from the endpoint and the method of a push, apart from its fields.
package struct PushRules: Sendable {
    package enum Method: Sendable {
        case post
        /// Simple push, as Telegram sends it.
        case put
    }

    package let kind: SubscriptionKind
    package let method: Method
    /// The longest TTL that is granted, in seconds.
    package let ttlLimit: UInt32
    /// The most bytes of a body that does not say that it is encrypted.
    package let clearBodyLimit: Int

    package init(
        kind: SubscriptionKind, method: Method, ttlLimit: UInt32 = Self.longestTTL,
        clearBodyLimit: Int = Self.bodyLimit
    ) {
        self.kind = kind
        self.method = method
        self.ttlLimit = min(ttlLimit, Self.longestTTL)
        self.clearBodyLimit = clearBodyLimit
    }

    /// RFC 8291 turns 4096 bytes into 4199; real senders use up to 5624.
    package static let bodyLimit = 5630
    package static let longestTTL: UInt32 = 30 * 86_400
    static let defaultTTL: UInt32 = 86_400
    static let defaultSignalTTL: UInt32 = 28 * 86_400

    /// RFC 8030 section 5.2 demands a TTL, but senders of simple pushes send none.
    var needsFields: Bool { kind == .channel && method == .post }

    /// With PUT, a channel gets only the body; a receiver is treated as with POST.
    var readsEncryption: Bool { kind == .receiver || needsFields }
}

/// Who can read pushes to an endpoint, and where they go. It is stored as its number.
package enum SubscriptionKind: UInt8, Sendable, CaseIterable {
    /// An application holds the keys; a user agent delivers the bytes to it.
    case channel = 0
    /// This server holds the keys.
    case receiver = 1
    /// There are no keys: a push only says that there is something to fetch.
    case signal = 2
}
