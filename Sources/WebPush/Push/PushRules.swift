/// What the endpoint and the method of a push decide, apart from its fields.
package struct PushRules: Sendable {
    package enum Method: Sendable {
        case post
        /// Simple push, as Telegram sends it.
        case put
    }

    package let kind: SubscriptionKind
    package let method: Method
    /// The most seconds that are granted.
    package let ttlLimit: UInt32

    package init(
        kind: SubscriptionKind, method: Method, ttlLimit: UInt32 = Self.longestTTL
    ) {
        self.kind = kind
        self.method = method
        self.ttlLimit = min(ttlLimit, Self.longestTTL)
    }

    /// What RFC 8291 makes of 4096 bytes has 4199; senders in the wild go up to 5624.
    package static let bodyLimit = 5630
    package static let longestTTL: UInt32 = 30 * 86_400
    static let defaultTTL: UInt32 = 86_400
    static let defaultSignalTTL: UInt32 = 28 * 86_400

    /// RFC 8030 section 5.2 demands a TTL, but those who only know simple push send none.
    var needsFields: Bool { kind == .channel && method == .post }

    /// By PUT, a channel gets the body alone; a receiver takes everything as by POST.
    var readsEncryption: Bool { kind == .receiver || needsFields }
}
