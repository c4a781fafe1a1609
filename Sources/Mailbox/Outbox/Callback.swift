package import Base
package import Delivery
package import WebPush

/// Where the events of a registration are sent, and how they are signed.
package struct Callback: Sendable, Confidential {
    package struct SigningSecret: Sendable, Confidential {
        package let secret: Secret
        /// Nil for the current one; a former one also signs until it expires.
        package let expiry: StoreTime?

        package init(_ secret: Secret, expiry: StoreTime? = nil) {
            self.secret = secret
            self.expiry = expiry
        }
    }

    /// The number of the registration, never used by another.
    package let row: UInt32
    package let url: String
    /// The user who created it through the control socket; nil if it came over the network.
    package let userID: UInt32?
    /// Newest first.
    package var secrets: [SigningSecret]

    package init(row: UInt32, url: String, userID: UInt32?, secrets: [SigningSecret]) {
        self.row = row
        self.url = url
        self.userID = userID
        self.secrets = secrets
    }

    /// A former secret also signs for a week after a new one is set.
    package static let graceOfSecret: UInt32 = 7 * 86_400
    /// A callback that is not confirmed by then is not wanted.
    package static let timeToConfirm: UInt32 = 3_600
}

/// A stored callback with its next event.
package struct CallbackRecord: Sendable, Confidential {
    package struct Head: Sendable, Confidential {
        package let position: Int64
        package let id: MessageID
        package let body: [UInt8]
        package let isIntroduction: Bool
        package let attempts: Int
        /// How many attempts were answered with a refusal.
        package let refusals: Int
        package let due: StoreTime
        package let dies: StoreTime

        package init(
            position: Int64, id: MessageID, body: [UInt8], isIntroduction: Bool, attempts: Int,
            refusals: Int, due: StoreTime, dies: StoreTime
        ) {
            self.position = position
            self.id = id
            self.body = body
            self.isIntroduction = isIntroduction
            self.attempts = attempts
            self.refusals = refusals
            self.due = due
            self.dies = dies
        }
    }

    package let callback: Callback
    package let state: CallbackState
    package let created: StoreTime
    package let head: Head?

    package init(callback: Callback, state: CallbackState, created: StoreTime, head: Head?) {
        self.callback = callback
        self.state = state
        self.created = created
        self.head = head
    }
}

/// Whether a callback is sent anything. It is stored as its number.
package enum CallbackState: Int64, Sendable {
    /// The receiver has not confirmed it yet.
    case unconfirmed = 0
    case active = 1
    /// The registration has ended; only the outbox is still sent.
    case ending = 2
    /// The receiver answered 410.
    case gone = 3
    /// Nobody confirmed it in time.
    case lapsed = 4

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}

/// How a callback is encoded before it is sealed as one record.
///
///     version 1 | user given 1 | user 4 | secrets 1 | for each: expiry 8, length 1, secret | URL
enum CallbackCode {
    private static let version: UInt8 = 1
    private static let headerLength = 1 + 1 + 4 + 1

    static func bytes(_ callback: Callback) -> [UInt8] {
        var bytes: [UInt8] = [version, callback.userID == nil ? 0 : 1]
        bytes.append(bigEndian: callback.userID ?? 0)
        bytes.append(UInt8(clamping: callback.secrets.count))
        for entry in callback.secrets {
            bytes.append(bigEndian: UInt64(bitPattern: entry.expiry?.milliseconds ?? .max))
            bytes.append(UInt8(clamping: entry.secret.count))
            entry.secret.withSpan { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: callback.url.utf8)
        return bytes
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    static func callback(row: UInt32, _ record: Span<UInt8>) -> Callback? {
        guard record.count >= headerLength, record[0] == version else { return nil }
        let user = record[1] == 0 ? nil : record.halfWord(at: 2)
        var secrets: [Callback.SigningSecret] = []
        var start = headerLength
        for _ in 0..<record[6] {
            guard record.count >= start + 9 else { return nil }
            let expiry = Int64(bitPattern: record.word(at: start))
            let end = start + 9 + Int(record[start + 8])
            guard record.count >= end else { return nil }
            secrets.append(
                Callback.SigningSecret(
                    Secret(record.extracting(start + 9..<end)),
                    expiry: expiry == .max ? nil : StoreTime(milliseconds: expiry)))
            start = end
        }
        let url = String(decoding: record.array(start..<record.count), as: UTF8.self)
        return Callback(row: row, url: url, userID: user, secrets: secrets)
    }
}

/// Operations on callbacks.
package enum CallbackOperation: Sendable {
    /// Creates a callback, or gives one a new target, which has to be confirmed like the first. The
    /// introduction is sent before everything else.
    case make(Callback, introduction: OutboxEvent)
    /// The former secret also signs for a week.
    case rotateSecret(callback: UInt32, Secret)
    case add(OutboxEvent, to: UInt32)
    /// Accepts nothing after the last event. An unconfirmed callback gets no last event.
    case end(callback: UInt32, last: OutboxEvent?)
    case record(AttemptRecord)

    /// Its size in the queue.
    var size: Int {
        switch self {
        case .make(_, let event), .add(let event, _): event.body.count
        case .end(_, let event): event?.body.count ?? 0
        case .rotateSecret, .record: 0
        }
    }
}

/// The result of an attempt, or of waiting for one.
package struct AttemptRecord: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case delivered
        case postponed(attempts: Int, refusals: Int, due: StoreTime)
        /// The event is set aside, so that the next one can be sent.
        case parked
        /// The event is too old.
        case dead
        /// The callback is removed with all its events.
        case gone
        case lapsed
    }

    package let callback: UInt32
    package let position: Int64
    package let result: Result
}
