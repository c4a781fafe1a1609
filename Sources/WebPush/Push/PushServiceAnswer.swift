import Base

/// What somebody's push service answered to a push of ours, and what follows from it.
package struct PushServiceAnswer: Equatable, Sendable {
    package enum Meaning: Equatable, Sendable {
        case accepted
        /// The subscription has ended, or is bound to another key for ever.
        case gone
        case tooLong
        /// This push is wrong, and stays wrong.
        case refused
        /// The signature is not accepted: the fault of a key, a clock, or a stale token.
        case unauthorized
        /// Try again, after as many seconds as it asked for.
        case later(seconds: UInt32?)
    }

    /// Zero for none at all.
    package let status: Int
    package var meaning: Meaning
    /// One of the words that are known, because the others may be anybody's.
    package let reason: String?

    private init(_ status: Int, _ meaning: Meaning, _ reason: String? = nil) {
        (self.status, self.meaning, self.reason) = (status, meaning, reason)
    }

    /// Nobody answered.
    package static let none = PushServiceAnswer(0, .later(seconds: nil))
    /// It was not sent, because nothing can be made of it.
    package static let unsendable = PushServiceAnswer(0, .refused)

    /// `now`: in seconds since 1970.
    package init(status: Int, retryAfter: String?, body: [UInt8], now: Double) {
        let reason = Self.words.first { body.hasPart(Array($0.utf8)) }
        let isOtherKey = reason.map(Self.otherKey.contains) ?? false
        let meaning: Meaning
        switch status {
        case 200..<300: meaning = .accepted
        case 404, 410: meaning = .gone
        case 400...403 where isOtherKey: meaning = .gone
        case 413: meaning = .tooLong
        case 401, 403: meaning = .unauthorized
        case 406, 408, 425, 429, 500..<600:
            meaning = .later(seconds: retryAfter.flatMap { Self.seconds($0, now: now) })
        // A redirect is not followed, and may be the mistake of an hour.
        case 400..<500: meaning = .refused
        default: meaning = .later(seconds: nil)
        }
        self.init(status, meaning, reason)
    }

    /// A subscription is bound to the key it was made with.
    private static let otherKey = ["VapidPkHashMismatch", "do not correspond"]
    /// What Apple, Google and Mozilla say.
    private static let words =
        otherKey + [
            "BadWebPushTopic", "BadWebPushRequest", "BadTtl", "BadUrgency", "BadJwtToken",
            "BadAuthorizationHeader", "BadVapidPublicKey", "ExpiredSubscription", "Unregistered",
            "UnauthorizedRegistration", "PayloadTooLarge", "TooManyRequests",
        ]

    /// Longer pauses are not kept.
    package static let longestPause: UInt32 = 3_600

    /// Seconds, or a date (RFC 9110 section 10.2.3). Nil for anything else.
    private static func seconds(_ text: String, now: Double) -> UInt32? {
        if let seconds = Int64(strictDecimal: Array(text.utf8).span), seconds >= 0 {
            return min(UInt32(clamping: seconds), longestPause)
        }
        guard let date = CivilTime.seconds(httpDate: text) else { return nil }
        return min(UInt32(clamping: date - Int64(now)), longestPause)
    }
}

extension [UInt8] {
    fileprivate func hasPart(_ part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return false }
        for start in 0...count - part.count where self[start] == first {
            if self[start...].starts(with: part) { return true }
        }
        return false
    }
}
