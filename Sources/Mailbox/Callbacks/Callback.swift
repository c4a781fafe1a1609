package import Base
package import WebPush

/// Where the events of a registration are sent, and by what they are signed.
package struct Callback: Sendable, Confidential {
    package struct SigningSecret: Sendable, Confidential {
        package let secret: Secret
        /// Nil for the one in force; a former one signs beside it for a while.
        package let expiry: StoreTime?

        package init(_ secret: Secret, expiry: StoreTime? = nil) {
            self.secret = secret
            self.expiry = expiry
        }
    }

    /// The number of the registration, of which no other has had the same.
    package let row: UInt32
    package let url: String
    /// The user who made it by the control socket; nil for one that came over the network.
    package let userID: UInt32?
    /// Newest first.
    package var secrets: [SigningSecret]

    package init(row: UInt32, url: String, userID: UInt32?, secrets: [SigningSecret]) {
        self.row = row
        self.url = url
        self.userID = userID
        self.secrets = secrets
    }

    /// A former secret signs for a week after a new one was made.
    package static let graceOfSecret: UInt32 = 7 * 86_400
    /// Whoever has not confirmed a callback by then does not want it.
    package static let timeToConfirm: UInt32 = 3_600
}

package enum CallbackState: Int64, Sendable {
    /// Its receiver has not said yet that it wants anything.
    case unconfirmed
    case active
    /// The registration has ended; what is in the outbox is the last.
    case ending
    /// The receiver answered 410.
    case gone
    /// Nobody confirmed it.
    case lapsed

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}

/// Something for a callback to be told, as it is put into the outbox.
package struct OutboxEvent: Sendable, Confidential {
    /// Such events are counted together while they wait: the newest stands for all of them.
    package struct Tally: Sendable {
        package let count: Int
        /// Where the body has the count.
        package let digits: Range<Int>

        package init(count: Int, digits: Range<Int>) {
            self.count = count
            self.digits = digits
        }
    }

    /// Stays the same however often it is sent.
    package let id: MessageID
    /// JSON.
    package let body: [UInt8]
    /// Seconds in which it is of use; it is kept for a week at least.
    package let ttl: UInt32
    /// A full outbox refuses what comes from a push; what the service itself has to say is taken.
    package let isPush: Bool
    package let tally: Tally?

    package init(
        id: MessageID, body: [UInt8], ttl: UInt32 = 0, isPush: Bool, tally: Tally? = nil
    ) {
        self.id = id
        self.body = body
        self.ttl = ttl
        self.isPush = isPush
        self.tally = tally
    }

    /// The body with a larger count.
    func body(counting count: Int) -> [UInt8] {
        guard let tally else { return body }
        return body[..<tally.digits.lowerBound] + Array("\(count)".utf8)
            + body[tally.digits.upperBound...]
    }

    static let lifetime: UInt32 = 7 * 86_400
}

/// How much may wait for one callback.
enum OutboxLimits {
    static let events: Int64 = 10_000
    static let bytes: Int64 = 16 << 20
}

/// A callback as it is stored, with the event whose turn it is.
package struct CallbackRecord: Sendable, Confidential {
    package struct Head: Sendable, Confidential {
        package let position: Int64
        package let id: MessageID
        package let body: [UInt8]
        package let isIntroduction: Bool
        package let attempts: Int
        /// Attempts that were answered with a refusal.
        package let refusals: Int
        package let due: StoreTime
        package let dies: StoreTime
    }

    package let callback: Callback
    package let state: CallbackState
    package let created: StoreTime
    package let head: Head?
}

/// What became of an attempt, or of waiting for one.
package struct AttemptRecord: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case delivered
        case postponed(attempts: Int, refusals: Int, due: StoreTime)
        /// Put aside; the next one goes on.
        case parked
        /// Too old.
        case dead
        /// The callback is removed with all that waits.
        case gone
        case lapsed
    }

    package let callback: UInt32
    package let position: Int64
    package let result: Result
}

package enum CallbackOperation: Sendable {
    /// Makes a callback, or gives one a new target, which has to be confirmed like a first one. The
    /// introduction is sent before everything else.
    case make(Callback, introduction: OutboxEvent)
    /// The former secret signs beside the new one for a week.
    case rotateSecret(callback: UInt32, Secret)
    case add(OutboxEvent, to: UInt32)
    /// Takes nothing after the last event. A callback that was never confirmed is not told.
    case end(callback: UInt32, last: OutboxEvent?)
    case record(AttemptRecord)

    /// What it weighs while it waits.
    var size: Int {
        switch self {
        case .make(_, let event), .add(let event, _): event.body.count
        case .end(_, let event): event?.body.count ?? 0
        case .rotateSecret, .record: 0
        }
    }
}

/// Why a callback is to be looked at.
package enum CallbackNews: Sendable {
    /// Events came to those that wait.
    case added
    /// Its first event may be another one, or it may be gone.
    case changed
}
