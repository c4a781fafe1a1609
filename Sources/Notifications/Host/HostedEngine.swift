import Base

/// An engine as its host uses it: it takes requests as clients write them, and pushes as they
/// arrive.
///
/// It is a value, like the engine itself. The host first stores the entries or the whole account,
/// and only then passes on the updates and the answer, in this order: clients never see what could
/// still be lost.
package struct HostedEngine: Sendable, Confidential {
    package var engine: Engine
    /// The operations since the host last stored them.
    private var unsaved: [(time: Double, entry: EngineEntry)] = []
    /// When the engine was started, until that is stored.
    private var start: Double?
    private let cryptography: Cryptography
    private let templates: TelegramTemplates

    /// Cryptography, which this module does not have.
    package struct Cryptography: Sendable {
        /// Makes the secret of a registration from these 256 bytes, or a new one; nil if the bytes
        /// are wrong.
        package let secret: @Sendable ([UInt8]?) -> RegisteredDevice.Encryption?
        /// Decrypts a payload's `p`; nil if it was not encrypted with this secret.
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

    /// Returns the entries to store. A start need not be stored if no entries follow it.
    package mutating func takeUnsaved() -> [(time: Double, entry: EngineEntry)] {
        guard !unsaved.isEmpty else { return [] }
        defer { (start, unsaved) = (nil, []) }
        return (start.map { [($0, .start)] } ?? []) + unsaved
    }

    /// What has happened, in one call, because reading an engine that is also held elsewhere copies
    /// it.
    package struct News {
        package let updates: [Update]
        package let deadline: Double?
        /// How many payloads were refused for their trust level.
        package let outranked: Int
        /// The names of what the user has removed.
        package let dismissed: [String]
    }

    package mutating func takeNews() -> News {
        News(
            updates: engine.takeUpdates(), deadline: engine.nextDeadline,
            outranked: engine.takeOutranked(), dismissed: engine.takeDismissed())
    }

    /// Answers one request of a client.
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

    /// A request that only reads is not stored, unless something is due.
    private mutating func handle(
        _ request: JSONNode, _ text: [UInt8], now: Double
    ) -> Outcome? {
        let type = request["@type"]?.text ?? ""
        let isKept = !Engine.isQuestion(type) || engine.nextDeadline.map { $0 <= now } ?? false
        let outcome = engine.handle(request, now: now)
        #if PLANTED
            if PlantedMistake.dismissedReturns.isMade, type == "removeNotification" {
                return outcome
            }
        #endif
        if isKept, outcome != nil { unsaved.append((now, .request(text))) }
        return outcome
    }

    /// A request of the host itself.
    package mutating func perform(_ request: HostRequest, now: Double) {
        _ = perform(.own(request), now: now)
    }

    /// Performs everything that is due.
    package mutating func advance(to now: Double) { _ = perform(.time, now: now) }

    /// Processes a push as delivered. A repeated `id` changes nothing. `name` and `picture` are given
    /// by the host.
    package mutating func process(
        _ payload: [UInt8], _ dialect: Dialect, _ level: TrustLevel, isTrusted: Bool = false,
        id: String = "", name: String = "", picture: String = "", now: Double
    ) -> Outcome {
        perform(
            .push(
                payload: payload, dialect, level, isTrusted: isTrusted, id: id, name: name,
                picture: picture),
            now: now) ?? .ok
    }

    /// Removes what the push of this name showed, if `level`, that of the push, is enough for it.
    package mutating func withdraw(name: String, _ level: TrustLevel, now: Double) {
        _ = perform(.withdrawal(name: name, level), now: now)
    }

    /// Drops what users are least likely to see.
    package mutating func makeRoom(now: Double) { _ = perform(.room, now: now) }

    /// Keeps a payload as received, besides processing it.
    package mutating func keepRaw(_ payload: [UInt8], encoding: String, now: Double) {
        _ = perform(.raw(payload: payload, encoding: encoding), now: now)
    }

    /// An application has received all notices up to this one.
    package mutating func noticesHeard(through id: Int64, now: Double) {
        if engine.account.owed.hasNotices(through: id) { perform(.heard(through: id), now: now) }
    }

    private mutating func perform(_ entry: EngineEntry, now: Double) -> Outcome? {
        let outcome = engine.perform(entry, templates: templates, now: now)
        if outcome != nil { unsaved.append((now, entry)) }
        return outcome
    }

    /// Processes a payload of any dialect.
    private mutating func process(_ request: JSONNode, now: Double) -> Outcome {
        guard var dialect = Dialect(word: request["dialect"]?.text ?? "auto") else {
            return .error(code: 400, message: "Dialect is unknown")
        }
        let payload = Array((request["payload"]?.text ?? "").utf8)
        if dialect == .auto { dialect = AutomaticDialect.dialect(of: payload) }
        if dialect == .telegram { return processTelegram(payload, now: now) }
        return process(payload, dialect, .webpush, now: now)
    }

    /// Decrypts a payload first if it is encrypted for a registered token.
    private mutating func processTelegram(_ payload: [UInt8], now: Double) -> Outcome {
        let secrets = engine.account.devices.values.compactMap(\.encryption)
        if secrets.isEmpty { return process(payload, .telegram, .webpush, now: now) }
        let receiver = try? PushReceiver.id(of: payload)
        guard let encryption = secrets.first(where: { $0.keyID == receiver }) else {
            // If every token has a secret, an unencrypted payload is somebody else's. A payload
            // without content shows nothing and is accepted.
            let isForeign =
                secrets.count == engine.account.devices.count && engine.account.policy == .learn
                && !payload.elementsEqual("{}".utf8)
            return isForeign ? .ok : process(payload, .telegram, .webpush, now: now)
        }
        // TDLib looks for `p` in the outermost object only.
        let sealed = (try? JSONDocument(payload))?.root["p"]?.text
        guard let text = sealed.flatMap({ cryptography.open(Array($0.utf8), encryption) }) else {
            return .error(code: 400, message: "Failed to decrypt push payload")
        }
        return process(text, .telegram, .mtproto, now: now)
    }

    /// TDLib generates the secret itself; here a client may also supply one, for any token.
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
        } else if request["device_token"]?.flag("encrypt") == true {
            secret = cryptography.secret(nil)
        }
        unsaved.append((now, .registration(text, secret)))
        return engine.registerDevice(request, secret: secret, now: now)
    }
}
