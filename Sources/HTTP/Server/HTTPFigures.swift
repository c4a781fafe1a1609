import Crypto
import Synchronization
import System

/// Counts the connections and requests of servers, for metrics. Any thread may use it.
package final class HTTPFigures: Sendable {
    /// The protocol of a connection. The raw value is the name in metrics.
    package enum Spoken: String, CaseIterable, Sendable {
        /// The protocol is not known yet: the connection waits for TLS, or for the header of a
        /// proxy.
        case handshake
        case http1 = "http/1.1"
        case http2 = "h2"
        case webSocket = "websocket"
        case lines

        fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Why a connection was not served. The raw value is the word in metrics.
    private enum TurnedAway: String, CaseIterable {
        case cannotAccept = "cannot-accept"
        case tooMany = "too-many"
        case tooManyHandshakes = "too-many-handshakes"
        case noMemory = "no-memory"
    }

    /// Every reason for which a connection is not served.
    package static let turnedAwayWords = TurnedAway.allCases.map(\.rawValue)

    /// Every kind of flood for which a connection is cut.
    package static let floodWords =
        HTTP2Flood.allCases.map(\.rawValue) + TLSFlood.allCases.map(\.word)

    private struct Answer: Hashable {
        let what: String
        let status: Int
    }

    private let connections = InlineArray<5, Atomic<Int>> { _ in Atomic(0) }
    private let refused = Lock<[HTTPRefusal: Int]>([:])
    private let failed = Lock<[Answer: Int]>([:])
    private let turnedAway = Lock<[String: Int]>([:])
    private let floods = Lock<[String: Int]>([:])

    package init() {}

    /// `former` is nil for a new connection, `new` for one that ended.
    func changed(from former: Spoken?, to new: Spoken?) {
        if let former { connections[former.index].subtract(1, ordering: .relaxed) }
        if let new { connections[new.index].add(1, ordering: .relaxed) }
    }

    /// Counts what never became a request, or took too long.
    func countRefusal(_ refusal: HTTPRefusal) { refused.withLock { $0[refusal, default: 0] += 1 } }

    /// Call it for failures only: successes must not take a lock.
    func countFailure(_ what: StaticString, _ status: Int) {
        let answer = Answer(what: "\(what)", status: status)
        failed.withLock { $0[answer, default: 0] += 1 }
    }

    func countTrouble(_ trouble: HTTPTrouble) {
        switch trouble {
        case .cannotAccept: countTurnedAway(.cannotAccept)
        case .tooManyConnections: countTurnedAway(.tooMany)
        case .tooManyHandshakes: countTurnedAway(.tooManyHandshakes)
        case .noTransport: countTurnedAway(.noMemory)
        case .flood(let kind, _): floods.withLock { $0[kind, default: 0] += 1 }
        }
    }

    private func countTurnedAway(_ reason: TurnedAway) {
        turnedAway.withLock { $0[reason.rawValue, default: 0] += 1 }
    }
}

/// The counts, in a stable order.
extension HTTPFigures {
    package func count(of spoken: Spoken) -> Int {
        connections[spoken.index].load(ordering: .relaxed)
    }

    package var refusals: [(word: String, count: Int)] {
        refused.withLock { $0 }.map { ($0.key.rawValue, $0.value) }.sorted { $0.word < $1.word }
    }

    package var failures: [(what: String, status: Int, count: Int)] {
        failed.withLock { $0 }.map { ($0.key.what, $0.key.status, $0.value) }
            .sorted { ($0.what, $0.status) < ($1.what, $1.status) }
    }

    package var turnedAwayConnections: [(word: String, count: Int)] {
        turnedAway.withLock { $0 }.map { ($0.key, $0.value) }.sorted { $0.word < $1.word }
    }

    /// Connections that were cut.
    package var floodKinds: [(word: String, count: Int)] {
        floods.withLock { $0 }.map { ($0.key, $0.value) }.sorted { $0.word < $1.word }
    }
}
