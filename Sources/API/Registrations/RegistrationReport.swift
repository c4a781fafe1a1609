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

    /// The registration with its secrets, for the client that registers.
    func full(
        _ registration: Registration, callbackSecret: Secret?
    ) throws(OpenSSLError) -> [UInt8] {
        let receiver = try Self.receiverID(of: registration)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", registration.id.text)
            writer.member("push_receiver_id", "\(receiver)")
            writer.member("token", token(of: registration))
            writer.name("device_token")
            writeDeviceToken(registration, to: &writer)
            writer.name("register_device")
            writeParameters(registration, to: &writer)
            writer.member("endpoint", endpoint(of: registration))
            if let keys = registration.target.keys {
                writer.name("keys")
                writer.object { writer in
                    writer.member("p256dh", keys.publicKey.base64URL)
                    writer.member("auth", keys.auth.withSpan(Base64URL.text))
                }
            }
            if let callbackSecret {
                writer.member("callback_secret", WebhookSecret.text(of: callbackSecret))
            }
            writer.member("refresh_after", Self.refreshAfter)
        }
        return writer.bytes
    }

    /// Writes the registration without keys and secrets. Only a reader who is not its owner is told
    /// who that is.
    func write(
        _ registration: Registration, for reader: String,
        undecryptable: [(reason: String, count: Int)] = [],
        at moment: Moment, to writer: inout JSONWriter
    ) throws(OpenSSLError) {
        let receiver = try Self.receiverID(of: registration)
        let rest = (registration.expiry.milliseconds - moment.now.milliseconds) / 1_000
        writer.object { writer in
            writer.member("id", registration.id.text)
            writer.member("push_receiver_id", "\(receiver)")
            writer.member("endpoint", endpoint(of: registration))
            writer.member("refresh_after", Self.refreshAfter)
            writer.member("token_type", registration.terms.tokenType.rawValue)
            writer.member("app", registration.terms.app)
            writer.member("account", registration.terms.account)
            if let service = registration.terms.service { writer.member("service", service) }
            if registration.terms.trustsClear { writer.member("trust_clear", true) }
            if let format = registration.terms.heard { writer.member("hears", format.rawValue) }
            writer.member("listening", engines.hasListeners(registration.engine))
            if engines.isUnheard(registration) { writer.member("unheard", true) }
            if registration.owner != reader { writer.member("owner", registration.owner) }
            writer.member("created", Int(registration.created / 1_000))
            writer.member("expires", Int(moment.wall + rest))
            guard !undecryptable.isEmpty else { return }
            writer.name("undecryptable")
            writer.object { writer in
                for (reason, count) in undecryptable {
                    writer.name(text: reason)
                    writer.number(count)
                }
            }
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

    /// The token for `account.registerDevice`.
    private func token(of registration: Registration) -> String {
        let endpoint = endpoint(of: registration)
        guard let keys = registration.target.keys else { return endpoint }
        return RegistrationToken.text(
            endpoint: endpoint, p256dh: keys.publicKey.base64URL,
            auth: keys.auth.withSpan(Base64URL.text), isSigned: registration.terms.isSigned)
    }

    /// The object for TDLib's `registerDevice`.
    private func writeDeviceToken(_ registration: Registration, to writer: inout JSONWriter) {
        writer.object { writer in
            let keys = registration.target.keys
            writer.member("@type", keys == nil ? "deviceTokenSimplePush" : "deviceTokenWebPush")
            writer.member("endpoint", endpoint(of: registration))
            guard let keys else { return }
            writer.member("p256dh_base64url", keys.publicKey.base64URL)
            writer.member("auth_base64url", keys.auth.withSpan(Base64URL.text))
        }
    }

    private func writeParameters(_ registration: Registration, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("no_muted", true)
            writer.member("token_type", registration.terms.tokenType.rawValue)
            writer.member("token", token(of: registration))
            writer.member("app_sandbox", false)
            let secret = registration.secret?.current.withSpan(Base64URL.text)
            writer.member("secret", secret ?? "")
            writeOtherUsers(registration, to: &writer)
        }
    }

    /// The same as a text, for callbacks.
    func parameters(of registration: Registration) -> String {
        var writer = JSONWriter()
        writeParameters(registration, to: &writer)
        return writer.text
    }

    /// The parameters of `account.unregisterDevice`.
    func unregistration(of registration: Registration) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token_type", registration.terms.tokenType.rawValue)
            writer.member("token", token(of: registration))
            writeOtherUsers(registration, to: &writer)
        }
        return writer.text
    }

    private func writeOtherUsers(_ registration: Registration, to writer: inout JSONWriter) {
        writer.name("other_uids")
        writer.array { writer in
            for id in registration.terms.otherUserIDs { writer.number(Int(id)) }
        }
    }
}

extension RegistrationReport {
    /// `messages`, including fetch signals, oldest first.
    static func waiting(_ waiting: Waiting) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("messages")
            writer.array { writer in
                for message in waiting.messages {
                    writer.object { writer in
                        writer.member("id", text(of: message.id.bits))
                        let body = message.content.body
                        writer.member("payload", Base64URL.text(body.span))
                        writer.member("received", Int(message.arrival / 1_000))
                    }
                }
                for signal in [waiting.signals.inFlight, waiting.signals.waiting] {
                    if let signal { write(signal, to: &writer) }
                }
            }
        }
        return writer.bytes
    }

    /// A fetch signal has no payload, but says how many pushes it stands for.
    private static func write(_ signal: FetchSignal, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", text(of: signal.id.bits))
            writer.member("payload", "")
            writer.member("received", Int(signal.arrival / 1_000))
            writer.member("count", signal.count)
            if let version = signal.version { writer.member("version", "\(version)") }
        }
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
