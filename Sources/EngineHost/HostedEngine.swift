import Base
package import Dialects
package import Notifications

/// An engine in the hands of its host: requests as clients write them, pushes as they arrive.
///
/// A value like the engine itself. Its host keeps what was done, or the account as it is then, and
/// only after that hands on the engine's updates and the answer, in this order: nobody hears of
/// what can still be lost.
package struct HostedEngine: Sendable, Confidential {
    package var engine: Engine
    /// What was done since the host kept it last.
    private var unsaved: [(time: Double, entry: EngineEntry)] = []
    /// When it began, until that is among what was kept.
    private var start: Double?
    private let cryptography: Cryptography
    private let templates: TelegramTemplates

    /// What needs more than this module has.
    package struct Cryptography: Sendable {
        /// The secret of a registration: these 256 bytes, or new ones; nil for other bytes.
        package let secret: @Sendable ([UInt8]?) -> RegisteredDevice.Encryption?
        /// The text of a payload's `p`, or nil if it was not encrypted under this secret.
        package let open: @Sendable ([UInt8], RegisteredDevice.Encryption) -> [UInt8]?

        package init(
            secret: @escaping @Sendable ([UInt8]?) -> RegisteredDevice.Encryption?,
            open: @escaping @Sendable ([UInt8], RegisteredDevice.Encryption) -> [UInt8]?
        ) {
            self.secret = secret
            self.open = open
        }
    }

    package init(
        _ account: Account, cryptography: Cryptography, templates: TelegramTemplates, now: Double
    ) {
        engine = Engine(account)
        self.cryptography = cryptography
        self.templates = templates
        start = now
        engine.start(now: now)
        engine.refreshDevices()
    }

    /// A start of which nothing follows need not be kept.
    package mutating func takeUnsaved() -> [(time: Double, entry: EngineEntry)] {
        guard !unsaved.isEmpty else { return [] }
        defer { (start, unsaved) = (nil, []) }
        return (start.map { [($0, .start)] } ?? []) + unsaved
    }

    /// What its clients are to hear, when it is to be called again, and how often a payload was not
    /// allowed to touch what came in a better way; in one step, because to ask an engine that
    /// somebody else holds copies it.
    package mutating func takeNews() -> (updates: [Update], deadline: Double?, outranked: Int) {
        (engine.takeUpdates(), engine.nextDeadline, engine.takeOutranked())
    }

    /// The answer to one request of a client.
    package mutating func answer(_ text: [UInt8], now: Double) -> [UInt8] {
        guard let request = try? JSONDocument(text).root, request.kind == .object else {
            return Outcome.error(code: 400, message: "Failed to parse JSON object").answer()
        }
        if let refusal = Engine.refusal(of: request) {
            return refusal.answer(extra: request["@extra"])
        }
        let outcome: Outcome?
        switch request["@type"]?.text {
        case "getPushReceiverId": outcome = PushReceiver.answer(to: request)
        case "processPushNotification":
            outcome = processTelegram(Array((request["payload"]?.text ?? "").utf8), now: now)
        case "bellwire.processPush": outcome = process(request, now: now)
        case "registerDevice": outcome = register(request, text, now: now)
        default: outcome = handle(request, text, now: now)
        }
        return (outcome ?? .unknown(request["@type"]?.text ?? ""))
            .answer(extra: request["@extra"])
    }

    /// What is only asked changes nothing worth keeping, unless something is due.
    private mutating func handle(
        _ request: JSONNode, _ text: [UInt8], now: Double
    ) -> Outcome? {
        let type = request["@type"]?.text ?? ""
        let isQuestion = type.hasPrefix("get") || type.hasPrefix("bellwire.get")
        let isKept = !isQuestion || engine.nextDeadline.map { $0 <= now } ?? false
        let outcome = engine.handle(request, now: now)
        if isKept, outcome != nil { unsaved.append((now, .request(text))) }
        return outcome
    }

    /// A request of the host itself.
    package mutating func perform(_ request: HostRequest, now: Double) {
        _ = perform(.own(request), now: now)
    }

    /// Does what has become due.
    package mutating func advance(to now: Double) { _ = perform(.time, now: now) }

    /// A push, as its transport delivered it. `id` makes a repeat harmless.
    package mutating func process(
        _ payload: [UInt8], _ dialect: Dialect, _ level: TrustLevel, isTrusted: Bool = false,
        id: String = "", now: Double
    ) -> Outcome {
        perform(
            .push(payload: payload, dialect, level, isTrusted: isTrusted, id: id), now: now) ?? .ok
    }

    /// A payload as it came, beside what is made of it.
    package mutating func keepRaw(_ payload: [UInt8], encoding: String, now: Double) {
        _ = perform(.raw(payload: payload, encoding: encoding), now: now)
    }

    /// An application has heard everything that was to be known up to this.
    package mutating func noticesHeard(through id: Int64, now: Double) {
        if engine.account.owed.hasNotices(through: id) { perform(.heard(through: id), now: now) }
    }

    private mutating func perform(_ entry: EngineEntry, now: Double) -> Outcome? {
        let outcome = engine.perform(entry, templates: templates, now: now)
        if outcome != nil { unsaved.append((now, entry)) }
        return outcome
    }

    /// A payload of any dialect.
    private mutating func process(_ request: JSONNode, now: Double) -> Outcome {
        guard var dialect = Dialect(rawValue: request["dialect"]?.text ?? "auto") else {
            return .error(code: 400, message: "Dialect is unknown")
        }
        let payload = Array((request["payload"]?.text ?? "").utf8)
        if dialect == .auto { dialect = AutomaticDialect.dialect(of: payload) }
        if dialect == .telegram { return processTelegram(payload, now: now) }
        return process(payload, dialect, .webpush, now: now)
    }

    /// What is encrypted under the secret of a registered token is opened first.
    private mutating func processTelegram(_ payload: [UInt8], now: Double) -> Outcome {
        let secrets = engine.account.devices.values.compactMap(\.encryption)
        if secrets.isEmpty { return process(payload, .telegram, .webpush, now: now) }
        let receiver = try? PushReceiver.id(of: payload)
        guard let encryption = secrets.first(where: { $0.keyID == receiver }) else {
            // Where every token has a secret, what comes without one is somebody else's. A payload
            // without content shows nothing, and is heard.
            let isForeign =
                secrets.count == engine.account.devices.count && engine.account.policy == .learn
                && !payload.elementsEqual("{}".utf8)
            return isForeign ? .ok : process(payload, .telegram, .webpush, now: now)
        }
        // TDLib looks for it in the outermost object only.
        let sealed = (try? JSONDocument(payload))?.root["p"]?.text
        guard let text = sealed.flatMap({ cryptography.open(Array($0.utf8), encryption) }) else {
            return .error(code: 400, message: "Failed to decrypt push payload")
        }
        return process(text, .telegram, .mtproto, now: now)
    }

    /// TDLib draws the secret itself; a client that has one already may name it, for any token.
    private mutating func register(
        _ request: JSONNode, _ text: [UInt8], now: Double
    ) -> Outcome? {
        var secret: RegisteredDevice.Encryption?
        if let named = request["secret"] {
            let bytes = named.text.flatMap { Base64URL.decode(Array($0.utf8).span) }
            secret = bytes.flatMap { cryptography.secret($0) }
            guard secret != nil else {
                return .error(code: 400, message: "Secret must be 256 bytes in base64url")
            }
        } else if request["device_token"]?["encrypt"]?.bool == true {
            secret = cryptography.secret(nil)
        }
        unsaved.append((now, .registration(text, secret)))
        return engine.registerDevice(request, secret: secret, now: now)
    }
}
