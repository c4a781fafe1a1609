package import Base
package import Delivery
package import Topics
package import WebPush

/// Where the events of a registration are sent, or the messages of a topic, and how.
package struct Callback: Sendable, Confidential {
    package enum Kind: Sendable, Confidential {
        /// The secrets that sign, newest first.
        case webhook([SigningSecret])
        /// A push service, which gets what only the subscription's holder can read.
        case push(PushTarget)
    }

    package struct SigningSecret: Sendable, Confidential {
        package let secret: Secret
        /// Nil for the current one; a former one also signs until it expires.
        package let expiry: StoreTime?

        package init(_ secret: Secret, expiry: StoreTime? = nil) {
            self.secret = secret
            self.expiry = expiry
        }
    }

    /// The number of the registration, or one from the same counter; never used by another.
    package let row: UInt32
    package let url: String
    /// The user who created it through the control socket; nil if it came over the network.
    package let userID: UInt32?
    package internal(set) var kind: Kind

    package init(row: UInt32, url: String, userID: UInt32?, secrets: [SigningSecret]) {
        self.row = row
        self.url = url
        self.userID = userID
        kind = .webhook(secrets)
    }

    /// A push service is dialled with nobody's rights.
    package init(row: UInt32, url: String, _ target: PushTarget) {
        self.row = row
        self.url = url
        userID = nil
        kind = .push(target)
    }

    /// Those of a webhook.
    package var secrets: [SigningSecret] {
        if case .webhook(let secrets) = kind { secrets } else { [] }
    }

    /// A former secret also signs for a week after a new one is set.
    package static let graceOfSecret: UInt32 = 7 * 86_400
    /// A callback that is not confirmed by then is not wanted.
    package var timeToConfirm: UInt32 {
        if case .webhook = kind { 3_600 } else { Forward.timeToConfirm }
    }
}

/// A push subscription of others (RFC 8030, RFC 8291), with what it is sent.
package struct PushTarget: Sendable, Confidential {
    package let key: UncompressedPoint
    package let auth: Secret
    package let form: ForwardForm
    /// The number of the key by which this server signs there. A subscription is bound to it for ever.
    package let signer: UInt8
    /// What its owner confirms it with, if it came there.
    package let code: String

    /// RFC 8291 section 3.2.
    package static let authLength = 16

    package init(
        key: UncompressedPoint, auth: Secret, form: ForwardForm, signer: UInt8, code: String
    ) {
        (self.key, self.auth, self.form) = (key, auth, form)
        (self.signer, self.code) = (signer, code)
    }
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
    /// A restore brought it back. Nothing is sent before its owner confirms it again.
    case restored = 5

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}

/// How a callback is encoded before it is sealed as one record.
///
///     version 1 | user given 1 | user 4 | secrets 1 | for each: expiry 8, length 1, secret | URL
///     version 2 | signer 1 | form 1 | key 65 | auth 16 | code length 1 | code | URL
enum CallbackCode {
    private static let webhookVersion: UInt8 = 1
    private static let pushVersion: UInt8 = 2
    private static let webhookHeader = 1 + 1 + 4 + 1
    private static let authStart = 1 + 1 + 1 + UncompressedPoint.length
    private static let codeStart = authStart + PushTarget.authLength

    static func bytes(_ callback: Callback) -> [UInt8] {
        let url = Array(callback.url.utf8)
        switch callback.kind {
        case .webhook(let secrets): return bytes(callback.userID, secrets) + url
        case .push(let target): return bytes(target) + url
        }
    }

    private static func bytes(_ user: UInt32?, _ secrets: [Callback.SigningSecret]) -> [UInt8] {
        var bytes: [UInt8] = [webhookVersion, user == nil ? 0 : 1]
        bytes.append(bigEndian: user ?? 0)
        bytes.append(UInt8(clamping: secrets.count))
        for entry in secrets {
            bytes.append(bigEndian: UInt64(bitPattern: entry.expiry?.milliseconds ?? .max))
            bytes.append(UInt8(clamping: entry.secret.count))
            entry.secret.withSpan { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static func bytes(_ target: PushTarget) -> [UInt8] {
        var bytes: [UInt8] = [pushVersion, target.signer, target.form.rawValue]
        target.key.withSpan { bytes.append(contentsOf: $0) }
        target.auth.withSpan { bytes.append(contentsOf: $0) }
        let code = Array(target.code.utf8)
        bytes.append(UInt8(clamping: code.count))
        return bytes + code
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    static func callback(row: UInt32, _ record: Span<UInt8>) -> Callback? {
        guard record.count > 0 else { return nil }
        return switch record[0] {
        case webhookVersion: webhook(row, record)
        case pushVersion: push(row, record)
        default: nil
        }
    }

    private static func webhook(_ row: UInt32, _ record: Span<UInt8>) -> Callback? {
        guard record.count >= webhookHeader else { return nil }
        let user = record[1] == 0 ? nil : record.halfWord(at: 2)
        var secrets: [Callback.SigningSecret] = []
        var start = webhookHeader
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

    private static func push(_ row: UInt32, _ record: Span<UInt8>) -> Callback? {
        guard record.count > codeStart, let form = ForwardForm(rawValue: record[2]),
            let key = UncompressedPoint(record.extracting(3..<authStart))
        else { return nil }
        let end = codeStart + 1 + Int(record[codeStart])
        guard record.count >= end else { return nil }
        let target = PushTarget(
            key: key, auth: Secret(record.extracting(authStart..<codeStart)), form: form,
            signer: record[1],
            code: String(decoding: record.array(codeStart + 1..<end), as: UTF8.self))
        let url = String(decoding: record.array(end..<record.count), as: UTF8.self)
        return Callback(row: row, url: url, target)
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
        /// The push service does not take the event.
        case refused
        /// The callback is removed with all its events.
        case gone
        case lapsed
    }

    package let callback: UInt32
    package let position: Int64
    package let result: Result
    /// What a push service said, for the owner of the forward.
    package var answer: PushServiceAnswer?
}
