import Base
import WebPush

/// A key in a file of the key folder: one JSON object.
///
///     {"kind":"receiver","priv":"…","pub":"…","auth":"…"}
///     {"kind":"vapid","priv":"…","pub":"…"}
///     {"kind":"master","key":"…"}
package enum StoredKey: ~Copyable {
    case receiver(ReceiverKeys)
    case vapid(PrivateKey)
    case master(MasterKey)

    /// The words in the files.
    package enum Kind: String, CaseIterable, Sendable {
        case receiver = "receiver"
        case vapid = "vapid"
        case master = "master"
    }

    package enum Failure: Error, Equatable {
        case notAKey
        case fault(OpenSSLError)
    }

    package var kind: Kind {
        switch self {
        case .receiver: .receiver
        case .vapid: .vapid
        case .master: .master
        }
    }

    package static func generate(_ kind: Kind) throws(OpenSSLError) -> StoredKey {
        switch kind {
        case .receiver: .receiver(try .generate())
        case .vapid: .vapid(try .generate())
        case .master: .master(try .generate())
        }
    }

    package init(json: [UInt8]) throws(Failure) {
        guard let members = Self.members(json), let kind = members["kind"].flatMap(Kind.init)
        else { throw .notAKey }
        let key: StoredKey?
        do throws(OpenSSLError) { key = try Self.key(kind, members) } catch { throw .fault(error) }
        guard let key else { throw .notAKey }
        self = key
    }

    private static func key(
        _ kind: Kind, _ members: [String: String]
    ) throws(OpenSSLError) -> StoredKey? {
        func bytes(_ name: String) -> [UInt8] {
            members[name].flatMap { Base64URL.decode($0) } ?? []
        }
        switch kind {
        case .receiver:
            guard let privateKey = try PrivateKey(bytes("priv").span),
                let keys = ReceiverKeys(
                    privateKey: privateKey, auth: Secret(bytes("auth").span))
            else { return nil }
            return .receiver(keys)
        case .vapid:
            guard let privateKey = try PrivateKey(bytes("priv").span) else { return nil }
            return .vapid(privateKey)
        case .master:
            guard let key = try MasterKey(Secret(bytes("key").span)) else { return nil }
            return .master(key)
        }
    }

    private static func members(_ json: [UInt8]) -> [String: String]? {
        var members: [String: String] = [:]
        var scanner = JSONScanner(json)
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                let name = scanner.string(name)
                guard case .string(let value) = try scanner.next() else {
                    throw .invalid(at: scanner.position)
                }
                members[name] = scanner.string(value)
            }
            try scanner.expectEnd()
        } catch {
            return nil
        }
        return members
    }
}

extension StoredKey {
    /// The text of the file, with the secrets.
    package func json() throws(OpenSSLError) -> [UInt8] {
        var members = [("kind", kind.rawValue)]
        switch self {
        case .receiver(let keys):
            members += try Self.members(of: keys.privateKey)
            members.append(("auth", keys.auth.withSpan(Base64URL.text)))
        case .vapid(let key): members += try Self.members(of: key)
        case .master(let key): members.append(("key", key.withBytes(Base64URL.text)))
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (name, value) in members { writer.member(text: name, value) }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The parts that may be shown to anyone.
    package var publicParts: [(name: String, value: String)] {
        switch self {
        case .receiver(let keys): [("p256dh", keys.privateKey.publicKey.base64URL)]
        case .vapid(let key): [("application-server-key", key.publicKey.base64URL)]
        case .master(let key): [("id", Self.masterID(key.id))]
        }
    }

    private static func members(
        of key: borrowing PrivateKey
    ) throws(OpenSSLError) -> [(String, String)] {
        [
            ("priv", try key.bytes.withSpan(Base64URL.text)),
            ("pub", key.publicKey.base64URL),
        ]
    }

    /// How the id of a master key is shown.
    package static func masterID(_ id: UInt64) -> String { id.hexadecimal }
}
