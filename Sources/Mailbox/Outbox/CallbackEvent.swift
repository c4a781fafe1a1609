import Base
package import Delivery
package import Topics
package import WebPush

package import struct Notifications.ChosenAction
package import enum Notifications.Update

/// An event of a registration that its callback is told.
package enum CallbackEvent: Sendable, Confidential {
    /// The parameters of registerDevice and unregisterDevice as JSON objects, as in the answers of
    /// the registration API.
    case created(registerDevice: String)
    case refresh(registerDevice: String)
    case rotated(registerDevice: String, unregisterDevice: String)
    /// Milliseconds since 1970.
    case expiring(expires: Int64)
    case expired
    case deleted(unregisterDevice: String)
    case session(online: Bool, mobile: Bool, until: Int64?)
    /// A decrypted push.
    case message(Message)
    /// `details`: what the payload names that has to be fetched.
    case fetch(count: Int, version: Int64?, details: [Update.Detail] = [])
    case undecryptable(reason: String)
    /// The action of an updateNotificationAction, with the same number.
    case action(ChosenAction)
    case sessionRevoked

    /// Its name in the body.
    package var type: String {
        switch self {
        case .created: "registration.created"
        case .refresh: "registration.refresh"
        case .rotated: "registration.rotated"
        case .expiring: "registration.expiring"
        case .expired: "registration.expired"
        case .deleted: "registration.deleted"
        case .session: "registration.session"
        case .message: "push.message"
        case .fetch: "push.fetch"
        case .undecryptable: "push.undecryptable"
        case .action: "notification.action"
        case .sessionRevoked: "session.revoked"
        }
    }

    /// Whether a push caused it: a full outbox refuses such a push.
    private var isPush: Bool {
        switch self {
        case .message, .fetch, .undecryptable: true
        default: false
        }
    }

    /// The event as it is put into the outbox, with an id of its own.
    package func entry(
        _ id: MessageID, registration: String, account: String, at milliseconds: Int64
    ) -> OutboxEvent {
        var ttl: UInt32 = 0
        if case .message(let message) = self { ttl = message.content.ttl }
        var action: Int64?
        if case .action(let chosen) = self { action = chosen.id }
        var tally: OutboxEvent.Tally?
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            writer.member("timestamp", Self.time(milliseconds))
            writer.name("data")
            writer.object { writer in
                writer.member("registration", registration)
                writer.member("account", account)
                tally = writeMembers(to: &writer)
            }
        }
        return OutboxEvent(
            id: id, body: writer.bytes, ttl: ttl, isPush: isPush, tally: tally, action: action)
    }

    /// Returns where the body holds the count of a fetch signal.
    private func writeMembers(to writer: inout JSONWriter) -> OutboxEvent.Tally? {
        switch self {
        case .created(let registerDevice), .refresh(let registerDevice):
            writer.member("register_device", json: registerDevice)
        case .rotated(let registerDevice, let unregisterDevice):
            writer.member("register_device", json: registerDevice)
            writer.member("unregister_device", json: unregisterDevice)
        case .deleted(let unregisterDevice):
            writer.member("unregister_device", json: unregisterDevice)
        case .expiring(let expires): writer.member("expires", Self.time(expires))
        case .session(let online, let mobile, let until):
            writer.member("online", online)
            writer.member("mobile", mobile)
            writer.member("until", json: until.map { JSONText.quoted(Self.time($0)) } ?? "null")
        case .message(let message): write(message, to: &writer)
        case .fetch(let count, let version, let details):
            writer.name("count")
            let start = writer.count
            writer.number(count)
            let tally = OutboxEvent.Tally(count: count, digits: start..<writer.count)
            if let version { writer.member("version", Int(version)) }
            for detail in details {
                writer.name(text: detail.name)
                writer.foreign(detail.source[...])
            }
            return tally
        case .undecryptable(let reason): writer.member("reason", reason)
        case .action(let action):
            writer.member("id", String(action.id))
            action.write(to: &writer)
        case .expired, .sessionRevoked: break
        }
        return nil
    }

    private func write(_ message: Message, to writer: inout JSONWriter) {
        let content = message.content
        writer.member("id", Base64URL.text(message.id.bytes.span))
        writer.member("payload", Base64URL.text(content.body.span))
        writer.member("encoding", content.headers?.encoding.rawValue ?? "clear")
        writer.member("ttl", Int(content.ttl))
        writer.member("urgency", content.urgency.rawValue)
        if let topic = content.topic { writer.member("topic", topic.text) }
        writer.member("received", Self.time(message.arrival))
    }

    private static func time(_ milliseconds: Int64) -> String {
        CivilTime(secondsSince1970: milliseconds / 1_000).rfc3339
    }
}

/// An event for a callback, as it is put into the outbox. It is immutable, so any thread may read
/// it.
package final class OutboxEvent: Sendable, Confidential {
    /// Events with a tally are counted together while they wait: the newest stands for all of them.
    package struct Tally: Sendable {
        package let count: Int
        /// The place of the count in the body.
        package let digits: Range<Int>

        package init(count: Int, digits: Range<Int>) {
            self.count = count
            self.digits = digits
        }
    }

    /// Stays the same however often it is sent.
    package let id: MessageID
    /// JSON of a registration's event, or a `ForwardedMessage`.
    package let body: [UInt8]
    /// Seconds for which it is kept.
    let life: UInt32
    /// A full outbox refuses events caused by pushes, but takes the service's own.
    package let isPush: Bool
    package let tally: Tally?
    /// The account's action that counts as taken when the receiver accepts the event.
    package let action: Int64?
    /// That of the message of a topic; nil for anything else.
    let place: Int64?

    /// `ttl`: seconds for which it is useful; it is kept for at least a week.
    package init(
        id: MessageID, body: [UInt8], ttl: UInt32 = 0, isPush: Bool, tally: Tally? = nil,
        action: Int64? = nil
    ) {
        self.id = id
        self.body = body
        life = max(ttl, Self.lifetime)
        self.isPush = isPush
        self.tally = tally
        self.action = action
        place = nil
    }

    /// A message of a topic, which is of no use once its history has lost it.
    package convenience init(
        _ message: ForwardedMessage, as id: MessageID, keptFor lifetime: UInt32
    ) {
        self.init(message, as: id, keptFor: lifetime, at: nil)
    }

    /// `place`: where the history has it.
    init(
        _ message: ForwardedMessage, as id: MessageID, keptFor lifetime: UInt32, at place: Int64?
    ) {
        self.id = id
        body = message.coded
        life = min(max(lifetime, Forward.shortestLife), Forward.longestLife)
        isPush = true
        (tally, action) = (nil, nil)
        self.place = place
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
