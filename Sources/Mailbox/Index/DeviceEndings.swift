import Base
package import Delivery
import SQLite
import Synchronization
import System

/// Devices, credentials and names of topics that have ended: connections that use them must be
/// closed.
package struct DeviceEndings: Sendable {
    package var devices: [UInt32] = []
    package var credentials: [UInt32] = []
    /// Topics that have lost a name, by their registrations.
    package var unnamed: [UInt32] = []

    var isEmpty: Bool { devices.isEmpty && credentials.isEmpty && unnamed.isEmpty }
}

/// Tells listeners that devices, credentials or names have ended. Any thread may use it.
package final class EndingNotifier: Sendable {
    private let listeners = Lock<[@Sendable (DeviceEndings) -> Void]>([])

    /// `listener` is called on a store thread, after the ended items have left the index.
    package func listen(_ listener: @escaping @Sendable (DeviceEndings) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    func notify(_ endings: DeviceEndings) {
        guard !endings.isEmpty else { return }
        for listener in listeners.withLock({ $0 }) { listener(endings) }
    }
}

/// What other stores did to devices that may be connected here.
package struct RemoteChanges: Sendable {
    /// Messages that are stored, by device and position.
    package var stored: [(device: UInt32, position: Int64)] = []
    /// Messages that ended before they expired.
    package var ended: [MessageReference] = []
    /// Devices that connected there.
    package var connected: [UInt32] = []
    /// Messages that are not stored, for devices that are connected here.
    package var passed: [Message] = []
    /// This node does not hear the others: devices are better off with another node.
    package var isUnknown = false

    var isEmpty: Bool {
        stored.isEmpty && ended.isEmpty && connected.isEmpty && passed.isEmpty && !isUnknown
    }
}

/// After a restore: which of the endpoints that the store does not know have surely ended.
///
/// The others may have been made after the backup. For thirty days their senders are asked to wait,
/// because an answer of 410 would make them forget an endpoint that another restore brings back.
final class MissingEndpoints: Sendable {
    /// Thirty days.
    static let patience: UInt32 = 30 * 86_400

    private struct Entry: FlatEntry {
        static let vacant = Entry(key: 0)

        /// The first word of the SHA-256 of the token.
        let key: UInt64
    }

    /// Zero unless the store was restored. It is read for every unknown endpoint, without a lock.
    private let until = Atomic<Int64>(0)
    private let ended = Lock(FlatTable<Entry>())

    /// Reads which endpoints have ended. Call this before others use it.
    func begin(
        _ until: StoreTime, endedIn connection: borrowing Connection
    ) throws(StoreFault) {
        let select = try StoreStatement("SELECT endpoint FROM ended_endpoint", on: connection)
        while try select.step() {
            if let digest = select.withBytes(0, { Digest($0) }) { add(digest) }
        }
        self.until.store(until.milliseconds, ordering: .relaxed)
    }

    func answer(_ digest: Digest) -> StoreIndex.EndpointAnswer {
        let until = until.load(ordering: .relaxed)
        guard until > 0, ended.withLock({ $0[Self.key(of: digest)] }) == nil else { return .gone }
        return .missing(until: StoreTime(milliseconds: until))
    }

    /// The endpoint has ended now.
    func end(_ digest: Digest) {
        if until.load(ordering: .relaxed) > 0 { add(digest) }
    }

    private func add(_ digest: Digest) {
        ended.withLock { ended in
            // The rest is answered later than it could be, which does no harm.
            guard ended.count < GrowthLimits().endedEndpoints else { return }
            ended.set(Entry(key: Self.key(of: digest)))
        }
    }

    private static func key(of digest: Digest) -> UInt64 { max(1, digest.words.0) }
}

/// Which unknown endpoints have surely ended, where several nodes make endpoints.
///
/// Another node may have made an endpoint a moment ago, and an answer of 410 would make its sender
/// forget it. So the first request is answered with 503. When the sender comes again, this node has
/// heard of every endpoint that existed at the first request.
final class UnknownEndpoints: Sendable {
    /// In milliseconds: longer than a node that is served may be behind.
    private static let patience: Int64 = 1_500
    private static let limit = 16_384

    private struct State {
        /// When each unknown endpoint was first asked for, by the first word of its digest.
        var asked: [UInt64: Int64] = [:]
        /// Endpoints that ended at this node lately.
        var ended: Set<UInt64> = []
    }

    /// Nil while this store is the only one.
    private let state = Lock<State?>(nil)

    func begin() { state.withLock { $0 = State() } }

    /// Whether another node may have made the endpoint.
    func mayExist(_ digest: UInt64, at now: Int64) -> Bool {
        state.withLock { state in
            guard state != nil, state?.ended.contains(digest) != true else { return false }
            if let first = state?.asked[digest] { return now - first < Self.patience }
            // Senders that ask again after this are answered with 503 once more.
            if let count = state?.asked.count, count >= Self.limit { state?.asked = [:] }
            state?.asked[digest] = now
            return true
        }
    }

    func end(_ digest: UInt64) {
        state.withLock { state in
            if let count = state?.ended.count, count >= Self.limit { state?.ended = [] }
            state?.ended.insert(digest)
        }
    }
}
