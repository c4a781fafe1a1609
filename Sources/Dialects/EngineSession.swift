import Base
package import Notifications

/// An engine in conversation with its client: objects of JSON in, lines of JSON out.
///
/// A value like the engine itself. Its host keeps `unsaved`, and only then hands `output` on, so
/// that a client hears of nothing that can be lost.
package struct EngineSession: Sendable, Confidential {
    package private(set) var engine: Engine
    /// What is to be said, in order: updates before the answer that they led to.
    package private(set) var output: [UInt8] = []
    /// What was done since the host kept it last.
    package private(set) var unsaved: [(time: Double, entry: EngineEntry)] = []
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

    /// Begins with what a client hears first.
    package init(
        _ account: Account, cryptography: Cryptography, templates: TelegramTemplates, now: Double
    ) {
        engine = Engine(account)
        self.cryptography = cryptography
        self.templates = templates
        engine.start(now: now)
        engine.refreshDevices()
        writeUpdates()
    }

    package mutating func takeOutput() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    package mutating func takeUnsaved() -> [(time: Double, entry: EngineEntry)] {
        defer { unsaved = [] }
        return unsaved
    }

    /// One request of the client.
    package mutating func answer(_ text: [UInt8], now: Double) {
        guard let request = try? JSONDocument(text).root, request.kind == .object else {
            return refuse("Failed to parse JSON object")
        }
        let outcome: Outcome?
        switch request["@type"]?.text {
        case "getPushReceiverId": outcome = receiverID(request)
        case "processPushNotification":
            outcome = processTelegram(Array((request["payload"]?.text ?? "").utf8), now: now)
        case "bellwire.processPush": outcome = process(request, now: now)
        case "registerDevice": outcome = register(request, text, now: now)
        default: outcome = perform(.request(text), now: now)
        }
        say(outcome ?? .error(code: 400, message: "Unknown class"), extra: request["@extra"])
    }

    /// An answer to what could not be read at all.
    package mutating func refuse(_ message: String) {
        say(.error(code: 400, message: message), extra: nil)
    }

    /// Does what has become due.
    package mutating func advance(to now: Double) { _ = perform(.time, now: now) }

    /// The client is gone.
    package mutating func close(now: Double) {
        engine.close(now: now)
        writeUpdates()
    }

    /// A push, as its transport delivered it.
    @discardableResult
    package mutating func process(
        _ payload: [UInt8], _ dialect: Dialect, _ level: TrustLevel, now: Double
    ) -> Outcome {
        perform(.push(payload: payload, dialect, level), now: now) ?? .ok
    }

    private mutating func perform(_ entry: EngineEntry, now: Double) -> Outcome? {
        let outcome = engine.perform(entry, templates: templates, now: now)
        if outcome != nil { unsaved.append((now, entry)) }
        writeUpdates()
        return outcome
    }

    /// A payload of any dialect.
    private mutating func process(_ request: JSONNode, now: Double) -> Outcome {
        guard let dialect = Dialect(rawValue: request["dialect"]?.text ?? "auto") else {
            return .error(code: 400, message: "Dialect is unknown")
        }
        let payload = Array((request["payload"]?.text ?? "").utf8)
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
        return perform(.registration(text, secret), now: now)
    }

    private func receiverID(_ request: JSONNode) -> Outcome {
        do throws(PushReceiver.Refusal) {
            let id = try PushReceiver.id(of: Array((request["payload"]?.text ?? "").utf8))
            return .object("{\"@type\":\"pushReceiverId\",\"id\":\"\(id)\"}")
        } catch {
            return .error(code: 400, message: error.message)
        }
    }

    private mutating func writeUpdates() {
        for update in engine.takeUpdates() {
            var writer = JSONWriter()
            update.write(to: &writer)
            output += writer.bytes
            output.append(UInt8(ascii: "\n"))
        }
    }

    private mutating func say(_ outcome: Outcome, extra: JSONNode?) {
        output += outcome.answer(extra: extra)
        output.append(UInt8(ascii: "\n"))
    }
}
