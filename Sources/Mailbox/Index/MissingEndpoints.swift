import Base
import Delivery
import SQLite
import Synchronization
import System

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
