import Base

/// One operation on an engine, as a journal stores it. Applying it again has the same result.
package enum EngineEntry: Sendable, Confidential {
    /// `id` is the transport's identifier of the push, or empty; under `name`, unless that is empty,
    /// it replaces the former push of that name. `isTrusted` applies to pushes in clear.
    case push(
        payload: [UInt8], Dialect, TrustLevel, isTrusted: Bool = false, id: String = "",
        name: String = "")
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

    /// Bits in the byte of the level.
    private static let trustFlag: UInt8 = 0x80
    private static let nameFlag: UInt8 = 0x40

    /// The first byte of an entry.
    private enum Kind: UInt8 {
        case time = 0
        case request = 1
        case push = 2
        case registration = 3
        case encryptedRegistration = 4
        case start = 5
        case raw = 6
        case withdrawal = 7
        case room = 8
    }

    package var bytes: [UInt8] {
        switch self {
        case .time: [Kind.time.rawValue]
        case .start: [Kind.start.rawValue]
        case .room: [Kind.room.rawValue]
        case .withdrawal(let name, let level):
            [Kind.withdrawal.rawValue, level.rawValue] + name.utf8
        case .request(let text): [Kind.request.rawValue] + text
        case .own(let request): [Kind.request.rawValue] + request.text
        case .push(let payload, let dialect, let level, let isTrusted, let id, let name):
            Self.head(dialect, level, isTrusted, id, name) + payload
        case .raw(let payload, let encoding):
            [Kind.raw.rawValue, Self.length(of: encoding)] + encoding.utf8 + payload
        case .registration(let text, nil): [Kind.registration.rawValue] + text
        case .registration(let text, let encryption?):
            Self.head(encryption) + encryption.secret + text
        }
    }

    package init(_ bytes: [UInt8]) throws(Damage) {
        switch bytes.first.flatMap(Kind.init) {
        case .time where bytes.count == 1: self = .time
        case .request: self = .request(Array(bytes.dropFirst()))
        case .push: self = try Self.push(bytes)
        case .registration: self = .registration(Array(bytes.dropFirst()), nil)
        case .encryptedRegistration: self = try Self.registration(bytes)
        case .start where bytes.count == 1: self = .start
        case .room where bytes.count == 1: self = .room
        case .withdrawal:
            guard bytes.count >= 2, let level = TrustLevel(rawValue: bytes[1]),
                let name = String(validating: bytes.dropFirst(2), as: UTF8.self)
            else { throw Damage() }
            self = .withdrawal(name: name, level)
        case .raw:
            var rest = bytes.dropFirst()
            let encoding = try Self.takeText(from: &rest)
            self = .raw(payload: Array(rest), encoding: encoding)
        default: throw Damage()
        }
    }

    private static func head(
        _ dialect: Dialect, _ level: TrustLevel, _ isTrusted: Bool, _ id: String, _ name: String
    ) -> [UInt8] {
        let flags =
            level.rawValue | (isTrusted ? trustFlag : 0) | (name.isEmpty ? 0 : nameFlag)
        let head = [Kind.push.rawValue, flags, dialect.number, length(of: id)] + id.utf8
        return name.isEmpty ? head : head + [length(of: name)] + name.utf8
    }

    private static func push(_ bytes: [UInt8]) throws(Damage) -> EngineEntry {
        guard bytes.count >= 4,
            let level = TrustLevel(rawValue: bytes[1] & ~(trustFlag | nameFlag)),
            let dialect = Dialect(number: bytes[2])
        else { throw Damage() }
        var rest = bytes.dropFirst(3)
        let id = try takeText(from: &rest)
        let isNamed = bytes[1] & nameFlag != 0
        let name = isNamed ? try takeText(from: &rest) : ""
        guard isNamed != name.isEmpty else { throw Damage() }
        return .push(
            payload: Array(rest), dialect, level, isTrusted: bytes[1] & trustFlag != 0, id: id,
            name: name)
    }

    /// Reads a text after the byte that holds its length.
    private static func takeText(from rest: inout ArraySlice<UInt8>) throws(Damage) -> String {
        guard let length = rest.popFirst(), rest.count >= Int(length),
            let text = String(validating: rest.prefix(Int(length)), as: UTF8.self)
        else { throw Damage() }
        rest.removeFirst(Int(length))
        return text
    }

    private static func length(of id: String) -> UInt8 {
        precondition(id.utf8.count <= UInt8.max, "the identifier of the push is too long")
        return UInt8(id.utf8.count)
    }

    private static func head(_ encryption: RegisteredDevice.Encryption) -> [UInt8] {
        var head = [Kind.encryptedRegistration.rawValue]
        head.append(bigEndian: UInt64(bitPattern: encryption.keyID))
        head.append(bigEndian: UInt64(encryption.secret.count))
        return head
    }

    private static func registration(_ bytes: [UInt8]) throws(Damage) -> EngineEntry {
        guard bytes.count >= 17 else { throw Damage() }
        let keyID = Int64(bitPattern: bytes.span.word(at: 1))
        let rest = bytes[17...]
        guard let count = Int(exactly: bytes.span.word(at: 9)), count <= rest.count
        else { throw Damage() }
        return .registration(
            Array(rest.dropFirst(count)),
            RegisteredDevice.Encryption(keyID: keyID, secret: Array(rest.prefix(count))))
    }
}

extension Dialect {
    fileprivate init?(number: UInt8) {
        guard let dialect = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = dialect
    }

    /// The number in journals.
    fileprivate var number: UInt8 {
        switch self {
        case .auto: 0
        case .telegram: 1
        case .matrix: 2
        case .icq: 3
        case .zpns: 4
        case .declarative: 5
        case .plain: 6
        case .alertmanager: 7
        case .grafana: 8
        case .github: 9
        case .uptimeKuma: 10
        case .homeAssistant: 11
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
        case .push(let payload, let dialect, let level, let isTrusted, let id, let name):
            return process(
                payload: payload, dialect: dialect, level: level, isTrusted: isTrusted,
                templates: templates, id: id, name: name, now: now)
        case .withdrawal(let name, let level):
            return process([.ended(name: name, order: nil)], level: level, now: now)
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
        var bytes: [UInt8] = []
        for (time, entry) in entries {
            let text = entry.bytes
            bytes.append(bigEndian: time.bitPattern)
            bytes.append(bigEndian: UInt32(text.count))
            bytes += text
        }
        return bytes
    }

    /// Applies the entries; false if they cannot be read.
    package static func replay(
        _ bytes: [UInt8], on engine: inout Engine, _ templates: TelegramTemplates
    ) -> Bool {
        var start = 0
        while start < bytes.count {
            guard bytes.count - start >= headLength else { return false }
            let time = Double(bitPattern: bytes.span.word(at: start))
            let count = Int(bytes.span.halfWord(at: start + 8))
            start += headLength
            guard bytes.count - start >= count,
                let entry = try? EngineEntry(Array(bytes[start..<start + count]))
            else { return false }
            engine.replay(entry, at: time, templates)
            start += count
        }
        return true
    }

    private static let headLength = 8 + 4
}
