/// Why a push is refused. Each case is one answer, documented under its number.
///
/// Senders drop a subscription after most 4xx answers, so anything temporary is 429 or 503.
package enum PushRefusal: Error, Equatable, Sendable {
    case unknownToken
    case unknownVersion
    case unauthorized(AuthorizationFault)
    case gone
    case tooLarge
    case missingTTL
    case encryption(EncryptionFault)
    case negativeTTL
    case topicTooLong
    case badTopic
    /// An unencrypted body is not UTF-8, so it cannot be shown.
    case notText
    /// An unencrypted push to an address for scripts asks for something that is not done.
    case script(ScriptFault)
    /// The id in `DELETE /m/…` is malformed.
    case badMessageID

    case tooMany(retryAfter: UInt32)
    /// The store is full, busy or broken.
    case unavailable
    /// The store is expected to take it within seconds. Otherwise the same.
    case settling
    /// The store was restored from a backup, which may be older than the endpoint.
    case missing
    /// The server has failed on this message twice, and will not try it again in this version.
    case setAside
    /// The signature may be valid, but our clock or the sender's is wrong.
    case clocksDiffer
    /// The sender used a name of this server that is not in the configuration.
    case unknownOrigin

    package var status: Int {
        switch self {
        case .unknownToken, .unknownVersion: 404
        case .unauthorized: 401
        case .gone: 410
        case .tooLarge: 413
        case .missingTTL, .encryption, .negativeTTL, .topicTooLong, .badTopic, .notText,
            .script, .badMessageID:
            400
        case .tooMany: 429
        case .unavailable, .settling, .missing, .setAside, .clocksDiffer, .unknownOrigin: 503
        }
    }

    /// Mozilla's number for the same error; above 1,000 if Mozilla has no such error.
    package var number: Int? {
        switch self {
        case .unknownToken, .unknownVersion: 102
        case .tooLarge: 104
        case .gone: 106
        case .unauthorized, .clocksDiffer, .unknownOrigin: 109
        case .encryption: 110
        case .missingTTL: 111
        case .topicTooLong, .badTopic: 113
        case .negativeTTL: 114
        case .tooMany, .unavailable, .settling, .missing, .setAside: 201
        case .notText: 1_025
        case .script: 1_028
        case .badMessageID: nil
        }
    }

    package var message: String {
        switch self {
        case .unknownToken: "Invalid token"
        case .unknownVersion: "Invalid API version"
        case .unauthorized(let fault): fault.rawValue
        case .gone: "No such subscription"
        case .tooLarge: "Request body is too large"
        case .missingTTL: "Missing TTL value"
        case .encryption(let fault): fault.rawValue
        case .negativeTTL: "ttl: TTL must be greater than 0"
        case .topicTooLong: "topic: Topic must be no greater than 32 characters"
        case .badTopic: "topic: Topic must be URL and Filename safe Base64 alphabet"
        case .notText: "The body is not UTF-8 text"
        case .script(let fault): fault.rawValue
        case .badMessageID: "Invalid message ID"
        case .tooMany: "Too many pushes, try again later"
        case .unavailable, .settling: "Database error while saving notification"
        case .missing: "The server was restored from a backup and does not know this subscription"
        case .setAside:
            "The server crashed on this push twice, and refuses it until its next update"
        case .clocksDiffer: "The clocks of sender and push service differ"
        case .unknownOrigin: "The VAPID audience is not configured here"
        }
    }

    /// One refusal for each word.
    package static let examples = [
        PushRefusal.unknownToken, .unknownVersion, .unauthorized(.missingToken), .gone, .tooLarge,
        .missingTTL, .encryption(.missingEncoding), .negativeTTL, .badTopic, .notText,
        .script(.delayed), .badMessageID,
        .tooMany(retryAfter: 0), .unavailable, .missing, .setAside, .clocksDiffer,
        .unknownOrigin,
    ]

    /// The words of all refusals, so that counters can begin with 0.
    package static let words = examples.map(\.word)

    /// The word for logs and counters.
    package var word: String {
        switch self {
        case .unknownToken: "unknown-token"
        case .unknownVersion: "unknown-version"
        case .unauthorized: "unauthorized"
        case .gone: "gone"
        case .tooLarge: "too-large"
        case .missingTTL: "missing-ttl"
        case .encryption: "bad-encryption-fields"
        case .negativeTTL: "negative-ttl"
        case .topicTooLong, .badTopic: "bad-topic"
        case .notText: "not-text"
        case .script: "bad-script-fields"
        case .badMessageID: "bad-message-id"
        case .tooMany: "too-many"
        case .unavailable, .settling: "unavailable"
        case .missing: "missing"
        case .setAside: "set-aside"
        case .clocksDiffer: "clocks-differ"
        case .unknownOrigin: "unknown-origin"
        }
    }
}

/// What an unencrypted push to an address for scripts asks for in vain. The raw value is the text for
/// the sender.
package enum ScriptFault: String, Sendable, CaseIterable {
    case delayed = "Delay, At and In cannot be used: a push is shown at once"
    case badPriority = "Priority must be 1 to 5, or min, low, default, high, max or urgent"
    case badForm = "A form may have the texts message, title, priority, tags and click, and no file"
    case badJSON = "The body is declared as application/json, but it is not JSON"
    case tooDeep = "The body is JSON, but nested too deep"
}

/// What is wrong with a required signature. The raw value is the text for the sender.
package enum AuthorizationFault: String, Sendable, CaseIterable {
    case missingToken = "Missing VAPID token"
    case missingKey = "Missing VAPID public key"
    case unknownScheme = "Unknown auth scheme"
    case badField = "Invalid VAPID token: the Authorization header cannot be read"
    case badToken = "Invalid VAPID token: not a signed JSON Web Token"
    case badAlgorithm = "Invalid VAPID token: InvalidAlgorithm"
    case badSignature = "Invalid VAPID token: InvalidSignature"
    case badExpiry = "Invalid VAPID token: exp is missing or not a number"
    case expired = "Invalid VAPID token: ExpiredSignature"
    case expiryTooFar = "The VAPID token expiration is too long"
    case badKey = "Invalid VAPID public key: not a point of P-256 in base64url"
    case badAudience = "Invalid VAPID audience"
    case otherKey = "VAPID public key mismatch"
}

/// The answer to the sender.
extension PushRefusal {
    /// Seconds after which the sender may try again; nil if it should not.
    package var retryAfter: UInt32? {
        switch self {
        case .tooMany(let seconds): seconds
        case .settling: RetryAfter.settled
        case .unavailable, .clocksDiffer, .unknownOrigin: RetryAfter.trouble
        case .setAside, .missing: RetryAfter.update
        default: nil
        }
    }

    /// Only "gone" may be cached, because it stays true.
    package var cacheControl: StaticString { self == .gone ? "max-age=86400" : "no-store" }

    /// The body, `application/json`.
    package func json(_ page: ErrorPage) -> [UInt8] {
        ErrorBody.json(
            status: status, number: number, reason: reason, message: message,
            moreInfo: page.place(of: number))
    }

    /// The reason phrases of RFC 9110 section 15.
    private var reason: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        default: "Service Unavailable"
        }
    }
}

/// How a refused signature is answered.
extension PushRefusal {
    /// Facts that only the receiver of the push knows.
    package struct Circumstances: Sendable {
        /// The leeway in seconds, as in the policy that refused.
        let leeway: Double
        /// Whether our own clock is known to be right.
        let isClockTrusted: Bool
        /// Whether the signature names the authority that the request was sent to.
        let namesAddressee: Bool

        package init(leeway: Double, isClockTrusted: Bool, namesAddressee: Bool = false) {
            self.leeway = leeway
            self.isClockTrusted = isClockTrusted
            self.namesAddressee = namesAddressee
        }

        /// A clock that is wrong by less may be corrected before the sender gives up.
        private static let patience: Double = 60 * 60

        /// Whether a difference of `excess` seconds beyond the leeway may pass by itself.
        func mayPass(_ excess: Double) -> Bool {
            !isClockTrusted || excess + leeway <= Self.patience
        }
    }

    package init(_ refusal: VAPIDRefusal, _ circumstances: Circumstances) {
        switch refusal {
        case .expired(let seconds):
            self = circumstances.mayPass(seconds) ? .clocksDiffer : .unauthorized(.expired)
        case .expiryTooFar(let seconds):
            self = circumstances.mayPass(seconds) ? .clocksDiffer : .unauthorized(.expiryTooFar)
        case .audienceMismatch where circumstances.namesAddressee: self = .unknownOrigin
        case .missingCryptoKey: self = .encryption(.missingCryptoKey)
        case .missingServerKey: self = .encryption(.missingServerKey)
        case .badCryptoKeyHeader: self = .encryption(.badCryptoKey)
        default: self = .unauthorized(Self.fault(refusal))
        }
    }

    private static func fault(_ refusal: VAPIDRefusal) -> AuthorizationFault {
        switch refusal {
        case .noAuthorization, .missingToken: .missingToken
        case .badAuthorization: .badField
        case .badScheme: .unknownScheme
        case .missingKey, .missingCryptoKey, .missingServerKey, .badCryptoKeyHeader: .missingKey
        case .badKey: .badKey
        case .badJWT: .badToken
        case .badAlgorithm: .badAlgorithm
        case .badSignature: .badSignature
        case .badExpiry: .badExpiry
        case .expired: .expired
        case .expiryTooFar: .expiryTooFar
        case .badAudience, .audienceMismatch: .badAudience
        case .keyNotSubscribed: .otherKey
        }
    }
}

/// After how many seconds a refused client may try again; every answer takes it from here.
package enum RetryAfter {
    /// The servers of a cluster choose who leads, which takes five to nine seconds. Those who were
    /// refused at the same time shall not come back at the same time.
    package static var settled: UInt32 { .random(in: settling) }
    package static let settling: ClosedRange<UInt32> = 5...10
    /// The client sent too much within one second.
    package static let nextSecond: UInt32 = 1
    /// A program of the owner waits for a store that does not respond.
    package static let shortPause: UInt32 = 10
    /// There is no room: others have to fetch their messages or disconnect first.
    package static let whenFull: UInt32 = 60
    /// The server has a problem, or clocks differ.
    package static let trouble: UInt32 = 120
    /// Somebody has to do something first, such as to install a new version of the server.
    package static let update: UInt32 = 3_600
}
