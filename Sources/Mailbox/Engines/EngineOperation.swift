import Base
import Crypto
package import WebPush

import enum Notifications.OwedRole

/// Operations on engines, whose accounts the store keeps.
///
/// Results go to the engine's listeners in the order of the commits; the outcome only says whether
/// the operation was done.
package enum EngineOperation: Sendable {
    /// A client's request.
    case request(EngineClientID, [UInt8])
    /// A client wants all updates from now on. The first fetcher gets what waits.
    case join(EngineClientID, EngineRole)
    /// A client left; it may have been fetching, or the last fetcher.
    case leave(EngineClientID, isFetching: Bool)
    /// A client closes: notifications held back are shown now.
    case release(engine: UInt32)
    /// Time has passed.
    case advance(engine: UInt32)
    /// A client was told about a fetch signal, of this registration or of one of the engine's.
    case confirm(MessageID, device: UInt32?, engine: UInt32)
    /// A fetcher was told everything up to this.
    case heard(through: Int64, engine: UInt32)
    /// A node that shares the store has ended without a word.
    case lost(node: String)
    /// Clients are connected, which is a sign of life of the registrations.
    case signOfLife(engine: UInt32)
}

/// What a client is for.
package struct EngineRole: Equatable, Sendable {
    /// The application, which does the work. A viewer only shows, and takes nothing away.
    package var isFetcher = true
    /// Whether it wants raw payloads; nil if it does not say.
    package var takesRaw: Bool?

    package init(isFetcher: Bool = true, takesRaw: Bool? = nil) {
        self.isFetcher = isFetcher
        self.takesRaw = takesRaw
    }

    var owed: OwedRole {
        if !isFetcher { return .viewer }
        return takesRaw == true ? .rawFetcher : .fetcher
    }
}

/// A client of an engine, by a number that is never reused.
package struct EngineClientID: Hashable, Sendable {
    package let engine: UInt32
    package let number: UInt64

    package init(engine: UInt32, number: UInt64) {
        self.engine = engine
        self.number = number
    }
}

/// An engine, as found by a prospective client.
package struct EngineRecord: Equatable, Sendable {
    package let row: UInt32
    package let owner: String
}

/// The names that an engine is found by: hashes under the endpoint key, as in the file.
struct EngineNameHashes {
    /// Nil for any application.
    let app: [UInt8]?
    let account: [UInt8]
    let user: [UInt8]?

    init(
        account: String, app: String?, user: Int64? = nil, key: borrowing Secret,
        _ hash: inout SHA256
    ) throws(OpenSSLError) {
        self.account = try Self.hash("account " + account, key, &hash)
        self.app = try app.map { app throws(OpenSSLError) in
            try Self.hash("app " + app, key, &hash)
        }
        self.user = try user.map { user throws(OpenSSLError) in
            try Self.user(user, key: key, &hash)
        }
    }

    static func user(
        _ id: Int64, key: borrowing Secret, _ hash: inout SHA256
    ) throws(OpenSSLError) -> [UInt8] {
        try Self.hash("user \(id)", key, &hash)
    }

    private static func hash(
        _ text: String, _ key: borrowing Secret, _ hash: inout SHA256
    ) throws(OpenSSLError) -> [UInt8] {
        let bytes = Array(text.utf8)
        let digest = try key.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, bytes.span)
        }
        return digest.span.array(0..<16)
    }
}

/// Which engines have clients at other stores.
struct RemoteClients: Sendable {
    /// The clients of one engine at one store.
    struct Count: Equatable, Sendable {
        let fetchers: Int
    }

    private var counts: [UInt32: [String: Count]] = [:]

    func haveAny(_ engine: UInt32) -> Bool { counts[engine] != nil }

    func haveFetchers(_ engine: UInt32) -> Bool {
        counts[engine]?.values.contains { $0.fetchers > 0 } ?? false
    }

    func engines(fetchedAt node: String) -> [UInt32] {
        counts.filter { ($0.value[node]?.fetchers ?? 0) > 0 }.map(\.key)
    }

    var nodes: Set<String> { Set(counts.values.flatMap(\.keys)) }

    /// Nil for none.
    mutating func set(_ count: Count?, of engine: UInt32, at node: String) {
        counts[engine, default: [:]][node] = count
        if counts[engine]?.isEmpty == true { counts[engine] = nil }
    }
}
