import Base
import Crypto
import Delivery
import Mailbox
import Notifications
import PushService
import WebPush

/// A registration as the API shows it.
struct RegistrationReport {
    /// The store's time, by which registrations expire, and seconds since 1970.
    struct Moment {
        let now: StoreTime
        let wall: Int64
    }

    private static let refreshAfter = Int(Registration.reminderInterval)

    let settings: PushServiceSettings
    /// Who is connected to which account.
    let engines: EngineIndex
    let refusedSenders: RefusedSenders

    /// `former`: the topic as it was, if it was there. What is secret of it now is shown if it is new.
    func full(
        _ registration: Registration, callbackSecret: Secret?, after former: TopicTerms
    ) throws(OpenSSLError) -> MadeRegistration {
        var made = made(registration)
        made.topic = topic(of: registration, after: former)
        made.receiverID = "\(try Self.receiverID(of: registration))"
        made.callbackSecret = callbackSecret.map { WebhookSecret.text(of: $0) }
        return made
    }

    /// Nil for a registration that is no topic.
    func topic(of registration: Registration, after former: TopicTerms?) -> TopicDetails? {
        TopicDetails(of: registration, settings, after: former)
    }

    private func made(_ registration: Registration) -> MadeRegistration {
        MadeRegistration {
            $0.id = registration.id.text
            $0.tokenType = registration.terms.tokenType.rawValue
            $0.endpoint = endpoint(of: registration)
            $0.p256dh = registration.target.keys?.publicKey.base64URL
            $0.auth = registration.target.keys?.auth.withSpan(Base64URL.text)
            $0.token = token($0, isSigned: registration.terms.isSigned)
            $0.secret = registration.secret?.current.withSpan(Base64URL.text) ?? ""
            $0.otherUserIDs = registration.terms.otherUserIDs.map { Int($0) }
            $0.refreshAfter = Self.refreshAfter
        }
    }

    /// The token for `account.registerDevice`.
    private func token(_ made: MadeRegistration, isSigned: Bool) -> String {
        guard let p256dh = made.p256dh, let auth = made.auth else { return made.endpoint }
        return RegistrationToken.text(
            endpoint: made.endpoint, p256dh: p256dh, auth: auth, isSigned: isSigned)
    }

    /// The parameters of `account.registerDevice` as a text, for callbacks.
    func parameters(of registration: Registration) -> String { made(registration).registerDevice }

    func unregistration(of registration: Registration) -> String {
        made(registration).unregisterDevice
    }

    func listed(
        _ registration: Registration, for reader: String,
        undecryptable: [(reason: String, count: Int)] = [], at moment: Moment
    ) throws(OpenSSLError) -> ListedRegistration {
        let receiver = try Self.receiverID(of: registration)
        let rest = (registration.expiry.milliseconds - moment.now.milliseconds) / 1_000
        return ListedRegistration {
            $0.id = registration.id.text
            $0.receiverID = "\(receiver)"
            $0.endpoint = endpoint(of: registration)
            $0.refreshAfter = Self.refreshAfter
            $0.tokenType = registration.terms.tokenType.rawValue
            $0.app = registration.terms.app
            $0.account = registration.terms.account
            $0.service = registration.terms.service
            $0.trustsClear = registration.terms.trustsClear
            $0.heard = registration.terms.heard?.word
            $0.hasListeners = engines.hasListeners(registration.engine)
            $0.isUnheard = engines.isUnheard(registration)
            $0.owner = registration.owner == reader ? nil : registration.owner
            $0.created = Int(registration.created / 1_000)
            $0.expires = Int(moment.wall + rest)
            $0.topic = topic(of: registration, after: nil)
            $0.refusal = refusedSenders[registration.device]
            $0.undecryptable = undecryptable.map { JSONCount($0.reason, $0.count) }
        }
    }

    /// The id that payloads for this account carry: that of the encryption key, or else the user's.
    static func receiverID(of registration: Registration) throws(OpenSSLError) -> Int64 {
        if let secret = registration.secret, let key = MTProtoSecret(secret.current) {
            return key.keyID
        }
        return registration.terms.userID ?? 0
    }

    private func endpoint(of registration: Registration) -> String {
        String(
            decoding: settings.endpoint(
                registration.target.token, isBound: registration.terms.isSigned),
            as: UTF8.self)
    }
}

extension RegistrationReport {
    static func waiting(_ waiting: WaitingPushes) -> [UInt8] {
        var messages = waiting.messages.map { message in
            let body = message.content.body
            return WaitingMessage {
                $0.id = text(of: message.id.bits)
                $0.payload = Base64URL.text(body.span)
                $0.received = Int(message.arrival / 1_000)
            }
        }
        for signal in [waiting.signals.inFlight, waiting.signals.waiting].compactMap(\.self) {
            messages.append(
                WaitingMessage {
                    $0.id = text(of: signal.id.bits)
                    $0.received = Int(signal.arrival / 1_000)
                    $0.count = signal.count
                    $0.version = signal.version.map { "\($0)" }
                })
        }
        return messages.json
    }

    private static func text(of bits: Bits128) -> String {
        var text: [UInt8] = []
        bits.appendBase64URL(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Events for the callback of a registration; none if it has no callback.
struct RegistrationEvents {
    let report: RegistrationReport
    let moment: RegistrationReport.Moment

    private var milliseconds: Int64 { moment.wall * 1_000 }

    /// The callback of a new registration must be confirmed first.
    func creation(
        of registration: Registration, secret: Secret?, userID: UInt32?
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard let url = registration.terms.callback, let secret else { return [] }
        let callback = Callback(
            row: registration.device, url: url, userID: userID,
            secrets: [Callback.SigningSecret(secret)])
        let event = CallbackEvent.created(registerDevice: report.parameters(of: registration))
        return [.make(callback, introduction: try entry(event, registration))]
    }

    func rotation(
        of former: Registration, to registration: Registration, secret: Secret?
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard let secret else { return [] }
        let event = CallbackEvent.rotated(
            registerDevice: report.parameters(of: registration),
            unregisterDevice: report.unregistration(of: former))
        return [.rotateSecret(callback: former.device, secret)]
            + (try telling(event, registration))
    }

    func end(of registration: Registration) throws(OpenSSLError) -> [CallbackOperation] {
        guard registration.terms.callback != nil else { return [] }
        let event = CallbackEvent.deleted(unregisterDevice: report.unregistration(of: registration))
        return [.end(callback: registration.device, last: try entry(event, registration))]
    }

    private func telling(
        _ event: CallbackEvent, _ registration: Registration
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard registration.terms.callback != nil else { return [] }
        return [.add(try entry(event, registration), to: registration.device)]
    }

    private func entry(
        _ event: CallbackEvent, _ registration: Registration
    ) throws(OpenSSLError) -> OutboxEvent {
        var random = RandomSupply()
        return event.entry(
            try MessageID(from: &random), registration: registration.id.text,
            account: registration.terms.account, at: milliseconds)
    }
}
