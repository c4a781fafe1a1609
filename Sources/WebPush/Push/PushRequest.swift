import Base

/// What the sender sent, as it goes on to the destination.
package struct MessageContent: Equatable, Sendable, Confidential {
    package var body: [UInt8]
    /// Nil for an empty body, a simple push, and a body without stated encryption.
    package var headers: PayloadHeaders?
    package var topic: Topic?
    package var urgency: Urgency
    /// In seconds, as granted.
    package var ttl: UInt32

    package init(
        body: [UInt8], headers: PayloadHeaders? = nil, topic: Topic? = nil,
        urgency: Urgency = .normal, ttl: UInt32
    ) {
        self.body = body
        self.headers = headers
        self.topic = topic
        self.urgency = urgency
        self.ttl = ttl
    }
}

/// A valid push: what its sender asked for, and what is granted.
package struct PushRequest: Sendable, Confidential {
    package enum Effect: Equatable, Sendable {
        /// The body goes to the endpoint's owner; an empty one says that something is new.
        case message
        /// There is something to fetch. The version is that of a simple push, if any.
        case signal(version: UInt64?)
    }

    package let effect: Effect
    /// Its headers are normalised for `channel`; for `receiver`, where this server decrypts, they
    /// are as the sender wrote them.
    package var content: MessageContent

    /// A push in clear that did not come by a request to the endpoint.
    package init(clear body: [UInt8], _ urgency: Urgency, ttl: UInt32) {
        effect = .message
        content = MessageContent(body: body, urgency: urgency, ttl: ttl)
    }

    /// Performs the remaining checks, once endpoint and signature are valid. Their order decides
    /// which error is reported.
    package init(
        _ fields: consuming PushFields, body: [UInt8], rules: PushRules
    ) throws(PushRefusal) {
        let limit = fields.encoding == .absent ? rules.clearBodyLimit : PushRules.bodyLimit
        guard body.count <= limit else { throw .tooLarge }
        effect = Self.effect(of: body.span, fields.version, rules)
        let ttl = try Self.ttl(fields.ttl, isSignal: effect != .message, rules)
        let headers = try Self.headers(fields, body.span, rules)
        guard let ttl else { throw .negativeTTL }
        let topic: Topic?
        switch fields.topic {
        case .absent: topic = nil
        case .name(let name): topic = name
        case .tooLong: throw .topicTooLong
        case .malformed: throw .badTopic
        }
        content = MessageContent(
            body: body, headers: headers, topic: topic, urgency: fields.urgency ?? .normal,
            ttl: min(ttl, rules.ttlLimit))
    }

    /// `version` is from the query, if the body has none.
    private static func effect(
        of body: Span<UInt8>, _ version: UInt64?, _ rules: PushRules
    ) -> Effect {
        let push = SimplePush(body)
        switch (rules.kind, rules.method) {
        case (.receiver, .put) where push != nil || body.isEmpty, (.signal, _):
            return .signal(version: push?.version ?? version)
        default: return .message
        }
    }

    /// Nil if it is negative, which is reported later than a missing one.
    private static func ttl(
        _ field: PushFields.TTL, isSignal: Bool, _ rules: PushRules
    ) throws(PushRefusal) -> UInt32? {
        switch field {
        case .seconds(let seconds): return seconds
        case .negative: return nil
        case .malformed: throw .missingTTL
        case .absent:
            guard !rules.needsFields else { throw .missingTTL }
            return isSignal ? PushRules.defaultSignalTTL : PushRules.defaultTTL
        }
    }

    private static func headers(
        _ fields: borrowing PushFields, _ body: Span<UInt8>, _ rules: PushRules
    ) throws(PushRefusal) -> PayloadHeaders? {
        // An empty body is not encrypted, whatever the fields say.
        guard rules.readsEncryption, !body.isEmpty else { return nil }
        let encoding: ContentEncoding
        switch fields.encoding {
        case .known(let known): encoding = known
        case .unknown: throw .encryption(.unknownEncoding)
        case .absent where rules.needsFields: throw .encryption(.missingEncoding)
        case .absent: return nil
        }
        // A failed decryption is reported to the owner of the keys, not to the sender.
        guard rules.kind == .channel else {
            return PayloadHeaders(
                encoding: encoding, encryption: fields.encryption, cryptoKey: fields.cryptoKey)
        }
        do throws(EncryptionFault) {
            return try PayloadHeaders(
                normalizing: fields.encryption, fields.cryptoKey, encoding: encoding)
        } catch {
            throw .encryption(error)
        }
    }
}

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

/// The body of a simple push: the form field `version=N`.
struct SimplePush {
    /// Nil if it is not a number; the push still says that something is new.
    let version: UInt64?

    /// Nil unless the body starts like one.
    init?(_ body: Span<UInt8>) {
        let name: StaticString = "version="
        let start = name.utf8CodeUnitCount
        guard body.count >= start, body.extracting(0..<start).elementsEqual(name) else {
            return nil
        }
        var end = start
        while end < body.count, body[end].isDigit { end += 1 }
        let isWhole = end == body.count || body[end] == UInt8(ascii: "&") || body[end] < 0x21
        version = isWhole ? UInt64(decimalDigits: body.extracting(start..<end)) : nil
    }
}
