package import Base
package import Crypto
import SQLite
package import Topics

/// The ways in which requests name a topic.
package enum TopicNaming: Hashable, Sendable, Confidential {
    /// Its owner does, or somebody with a token of the owner.
    case own(TopicName, owner: String)
    /// Anybody does: the owner has opened it.
    case open(TopicName)
    /// Who knows the secret name does, and may only push.
    case secret(TopicName)
    /// Who knows the secret name does, and may only read.
    case secretForReading(TopicName)

    fileprivate var bytes: [UInt8] {
        switch self {
        case .own(let name, let owner): [1] + Array(owner.utf8) + [0] + Array(name.text.utf8)
        case .open(let name): [2] + Array(name.text.utf8)
        case .secret(let name): [3] + Array(name.text.utf8)
        case .secretForReading(let name): [4] + Array(name.text.utf8)
        }
    }
}

/// Hashes names of topics, so that neither the file nor memory has the names. Use one per thread.
package struct TopicNamer: ~Copyable {
    private let key: Secret
    private var hash: SHA256

    package init(key: Secret) throws(OpenSSLError) {
        self.key = key
        hash = try SHA256()
    }

    package mutating func digest(of naming: TopicNaming) throws(OpenSSLError) -> Digest {
        try Self.digest(of: naming, key, &hash)
    }

    /// Proves that this server has offered something.
    package mutating func capabilityMark(of bytes: [UInt8]) throws(OpenSSLError) -> Digest {
        // No name begins with this byte.
        let bytes = [5] + bytes
        return try key.withSpan { key throws(OpenSSLError) in
            Digest(try hash.hmac(key: key, bytes.span))
        }
    }

    static func digest(
        of naming: TopicNaming, _ key: Secret, _ hash: inout SHA256
    ) throws(OpenSSLError) -> Digest {
        let bytes = naming.bytes
        return try key.withSpan { key throws(OpenSSLError) in
            Digest(try hash.hmac(key: key, bytes.span))
        }
    }
}

/// Under which names topics are found.
enum TopicNameRows {
    static func insert(
        _ name: Digest, of device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "INSERT INTO topic_name (name, device) VALUES (?1, ?2)", name.bytes, device)
    }

    static func delete(
        _ name: Digest, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run("DELETE FROM topic_name WHERE name = ?1", name.bytes)
    }

    static func device(
        of name: Digest, on connection: borrowing Connection
    ) throws(StoreFault) -> UInt32? {
        try connection.rows("SELECT device FROM topic_name WHERE name = ?1", name.bytes).first
    }

    static func names(
        of device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [Digest] {
        let select = try connection.statement(
            "SELECT name FROM topic_name WHERE device = ?1", device)
        var names: [Digest] = []
        while try select.step() {
            if let name = select.withBytes(0, { Digest($0) }) { names.append(name) }
        }
        return names
    }

    static func forEach(
        on connection: borrowing Connection, _ body: (Digest, UInt32) -> Void
    ) throws(StoreFault) {
        let select = try connection.select(["name", "device"], from: "topic_name")
        while try select.step() {
            guard let name = select.withBytes(0, { Digest($0) }) else { continue }
            body(name, UInt32(clamping: select.integer(1)))
        }
    }
}
