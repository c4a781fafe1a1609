package import Base

/// One operation on an engine, as a journal stores it. Applying it again has the same result.
package enum EngineEntry: Sendable, Confidential {
    /// `id` is the transport's identifier of the push, or empty; under `name`, unless that is empty
    /// or the sender names it, it replaces the former push of that name. `isTrusted` applies to pushes in clear. By
    /// `picture`, unless that is empty, the host finds a picture of it.
    case push(
        payload: [UInt8], Dialect, TrustLevel, isTrusted: Bool = false, id: String = "",
        name: String = "", picture: String = "")
    /// The push of this name was withdrawn by its sender. The level is that of the push.
    case withdrawal(name: String, TrustLevel)
    case request([UInt8])
    /// A request of the host itself; read back as a client's.
    case own(HostRequest)
    /// A payload as received, kept for an application that reads it itself.
    case raw(payload: [UInt8], encoding: String)
    /// A `registerDevice` request, and the secret that was generated for it.
    case registration([UInt8], RegisteredDevice.Encryption?)
    /// Only time has passed.
    case time
    /// The engine was started again from its stored account.
    case start
    /// The account was too large, and dropped something.
    case room

    package struct Damage: Error {}

    package var bytes: [UInt8] { coded }

    package init(_ bytes: [UInt8]) throws(Damage) {
        guard let entry = EngineEntry.decoded(bytes) else { throw Damage() }
        self = entry
    }
}

extension EngineEntry: Coded {
    package static var blank: EngineEntry { .time }

    private static func blank(_ number: UInt8) -> EngineEntry? {
        switch number {
        case 0: .time
        case 1: .request([])
        case 2: .push(payload: [], .auto, .clear)
        case 3: .registration([], nil)
        case 4: .start
        case 5: .raw(payload: [], encoding: "")
        case 6: .withdrawal(name: "", .clear)
        case 7: .room
        default: nil
        }
    }

    private var number: UInt8 {
        switch self {
        case .time: 0
        case .request, .own: 1
        case .push: 2
        case .registration: 3
        case .start: 4
        case .raw: 5
        case .withdrawal: 6
        case .room: 7
        }
    }

    package mutating func code(_ coder: inout Coder) {
        coder.kind(&self, number, Self.blank)
        switch self {
        case .time, .start, .room: break
        case .request(var text):
            coder.data(&text)
            self = .request(text)
        case .own(let request):
            var text = request.text
            coder.data(&text)
        case .push(
            var payload, var dialect, var level, var isTrusted, var id, var name, var picture):
            coder.choice(&dialect)
            coder.choice(&level)
            coder.flag(&isTrusted)
            coder.text(&id)
            coder.text(&name)
            coder.text(&picture)
            coder.data(&payload)
            self = .push(
                payload: payload, dialect, level, isTrusted: isTrusted, id: id, name: name,
                picture: picture)
        case .registration(var text, var encryption):
            coder.data(&text)
            coder.optional(&encryption)
            self = .registration(text, encryption)
        case .raw(var payload, var encoding):
            coder.text(&encoding)
            coder.data(&payload)
            self = .raw(payload: payload, encoding: encoding)
        case .withdrawal(var name, var level):
            coder.text(&name)
            coder.choice(&level)
            self = .withdrawal(name: name, level)
        }
    }
}

extension Engine {
    /// Carries out an entry; nil for a request that the engine does not know.
    package mutating func perform(
        _ entry: EngineEntry, templates: TelegramTemplates = .english, now: Double
    ) -> Outcome? {
        switch entry {
        case .time:
            advance(to: now)
            return .ok
        case .start:
            self = Engine(account)
            start(now: now)
            return .ok
        case .request(let text):
            guard let document = try? JSONDocument(text) else { return nil }
            return handle(document.root, now: now)
        case .own(let request): return perform(request, now: now)
        case .registration(let text, let encryption):
            guard let document = try? JSONDocument(text) else { return nil }
            return registerDevice(document.root, secret: encryption, now: now)
        case .raw(let payload, let encoding):
            return keepRaw(payload, encoding: encoding, now: now)
        case .room:
            makeRoom()
            return .ok
        case .push(
            let payload, let dialect, let level, let isTrusted, let id, let name, let picture):
            return process(
                payload: payload, dialect: dialect, level: level, isTrusted: isTrusted,
                templates: templates, id: id, name: name, picture: picture, now: now)
        case .withdrawal(let name, let level):
            return withdraw(name, level: level, now: now)
        }
    }

    /// Applies an entry of the journal again and drops its updates.
    package mutating func replay(
        _ entry: EngineEntry, at time: Double, _ templates: TelegramTemplates
    ) {
        if !isRunning { start(now: time) }
        _ = perform(entry, templates: templates, now: time)
        _ = takeUpdates()
    }
}

/// Several entries that the journal stores together.
package enum EngineEntries {
    package static func bytes(_ entries: [(time: Double, entry: EngineEntry)]) -> [UInt8] {
        var coder = Coder()
        for (time, entry) in entries {
            var bits = time.bitPattern
            coder.fixed(&bits)
            _ = coder.coded(entry)
        }
        return coder.written
    }

    /// Applies the entries; false if they cannot be read.
    package static func replay(
        _ bytes: [UInt8], on engine: inout Engine, _ templates: TelegramTemplates
    ) -> Bool {
        var coder = Coder(reading: bytes)
        while coder.hasMore {
            var bits: UInt64 = 0
            coder.fixed(&bits)
            let entry = coder.coded(EngineEntry.blank)
            guard coder.isSound else { return false }
            engine.replay(entry, at: Double(bitPattern: bits), templates)
        }
        return true
    }
}
