package import Crypto
import Mailbox
import System

/// A change of the master key of all nodes, as one of them sees it.
///
/// Each node has the new key before anybody uses it. The cluster's identity is sealed under it then,
/// which all nodes read: from then on they seal under it. When all do, the one that leads seals
/// everything again, and keeps a copy of the store that has nothing under the former key.
package final class KeyRotation: Sendable {
    package enum Refusal: Error, Equatable {
        /// Another one has not ended.
        case underWay
        /// The cluster seals under this key already.
        case inUse
        /// This node has not heard the others for long enough.
        case unheard
        /// These nodes do not have the key.
        case lacking([String])
    }

    package struct Status: Equatable, Sendable {
        package var isUnderWay = false
        /// Rows that could not be unsealed.
        package var unopened = 0
        /// Why it did not begin.
        package var failure: String?
    }

    private struct State {
        var wanted: MasterKey?
        var failure: String?
        /// The key under which this node lets everything be sealed again.
        var resealing: UInt64?
        /// The key that this node was told to use.
        var told: UInt64?
    }

    /// Signs of life of all nodes have come after this time, in milliseconds.
    private static let hearing: Int64 = 5_000

    private let cluster: Membership
    private let store: SQLiteStore
    private let began = Boot.milliseconds
    private let state = Lock(State())

    init(_ cluster: Membership, _ store: SQLiteStore) {
        self.cluster = cluster
        self.store = store
    }

    private var record: ClusterRecord { cluster.record }

    /// Has the cluster seal under this key soon, if all nodes have it. Any thread may call it.
    package func begin(with key: MasterKey) throws(Refusal) {
        guard cluster.isUsable, let terms = record.keyTerms,
            Boot.milliseconds - began > Self.hearing
        else { throw .unheard }
        guard !status.isUnderWay else { throw .underWay }
        guard terms.key != key.id else { throw .inUse }
        let lacking = lacking(key.id)
        guard lacking.isEmpty else { throw .lacking(lacking) }
        store.learn(key)
        state.withLock { ($0.wanted, $0.failure) = (key, nil) }
    }

    package var status: Status {
        let terms = record.keyTerms
        return state.withLock { state in
            Status(
                isUnderWay: state.wanted != nil || terms?.isResealing == true,
                unopened: terms?.unopened ?? 0, failure: state.failure)
        }
    }

    /// The other nodes that would not open what is sealed under it.
    private func lacking(_ id: UInt64) -> [String] {
        record.nodeTerms.filter { name, terms in
            name != record.name && terms?.keys.contains(id) != true
        }.keys.sorted()
    }

    /// Does what is due. `keepCopy` keeps a copy of the store; false if that failed. Blocks.
    func work(_ keepCopy: () -> Bool) -> ClusterEvent? {
        if let wanted = state.withLock({ $0.wanted }), store.knownKeys.contains(wanted.id) {
            let failure = use(wanted)
            state.withLock { ($0.wanted, $0.failure) = (nil, failure) }
        }
        guard let terms = record.keyTerms else { return nil }
        guard store.sealingKey == terms.key else { return follow(terms.key) }
        return terms.isResealing && store.isLead ? reseal(terms.key, keepCopy) : nil
    }

    /// Why it failed.
    private func use(_ key: MasterKey) -> String? {
        let lacking = lacking(key.id)
        guard lacking.isEmpty else {
            return "these nodes do not have the key: " + lacking.joined(separator: ", ")
        }
        do throws(ClusterFault) {
            try record.rotate(to: key.id) { (identity) throws(ClusterFault) in
                let origin: StoreOrigin
                do throws(StoreFault) {
                    origin = try StoreOrigin(
                        wall: identity.origin, keys: store.ownKeys, masterKey: key)
                } catch { throw .unsealable }
                return ClusterRecord.Identity(
                    key: origin.sealedKeys, origin: origin.wall)
            }
            return nil
        } catch { return error.description }
    }

    private func follow(_ key: UInt64) -> ClusterEvent? {
        let isNew = state.withLock { state in
            defer { state.told = key }
            return state.told != key
        }
        guard isNew else { return nil }
        guard store.knownKeys.contains(key) else { return .keyMissing(key) }
        store.use(key: key)
        return .keyUsed(key)
    }

    private func reseal(_ key: UInt64, _ keepCopy: () -> Bool) -> ClusterEvent? {
        // A node that still seals under the former key would write what is not looked at again.
        guard record.nodeTerms.values.allSatisfy({ $0?.sealingKey == key }) else { return nil }
        guard state.withLock({ $0.resealing }) == key else {
            state.withLock { $0.resealing = key }
            store.reseal()
            return nil
        }
        // A node that is new begins with the copy, and needs no former key.
        guard let unopened = store.unopenedRows, keepCopy(),
            (try? record.endResealing(key, unopened: unopened)) != nil
        else { return nil }
        state.withLock { $0.resealing = nil }
        return .resealed(key, unopened: unopened)
    }
}
