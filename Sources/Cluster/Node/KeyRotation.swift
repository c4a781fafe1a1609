package import Crypto
import Mailbox
import System

/// A change of the master key of all nodes, as one of them sees it.
///
/// Each node has the new key before one of them uses it. Then the identity of the cluster is sealed
/// under the new key. All nodes read the identity, and seal under the same key from then on. When
/// all of them do, the leading node seals everything again, and puts a copy of the store on the
/// servers that has nothing under the former key.
package final class KeyRotation: Sendable {
    package enum Refusal: Error, Equatable {
        /// Another change of the key has not ended.
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
        /// Why the change did not begin.
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

    /// Heartbeats of all nodes have come after this time, in milliseconds.
    private static let hearing: Int64 = 5_000

    private let cluster: ClusterConnection
    private let store: SQLiteStore
    private let began = Boot.milliseconds
    private let state = Lock(State())

    init(_ cluster: ClusterConnection, _ store: SQLiteStore) {
        self.cluster = cluster
        self.store = store
    }

    private var clusterState: ClusterState { cluster.state }

    /// Has the cluster seal under this key soon, if all nodes have it. Any thread may call it.
    package func begin(with key: MasterKey) throws(Refusal) {
        guard cluster.isUsable, let sealing = clusterState.sealingState,
            Boot.milliseconds - began > Self.hearing
        else { throw .unheard }
        guard !status.isUnderWay else { throw .underWay }
        guard sealing.key != key.id else { throw .inUse }
        let lacking = lacking(key.id)
        guard lacking.isEmpty else { throw .lacking(lacking) }
        store.learn(key)
        state.withLock { ($0.wanted, $0.failure) = (key, nil) }
    }

    package var status: Status {
        let sealing = clusterState.sealingState
        return state.withLock { state in
            Status(
                isUnderWay: state.wanted != nil || sealing?.isResealing == true,
                unopened: sealing?.unopened ?? 0, failure: state.failure)
        }
    }

    /// The other nodes that lack the key of this id.
    private func lacking(_ id: UInt64) -> [String] {
        clusterState.nodeReports.filter { name, report in
            name != clusterState.name && report?.keys.contains(id) != true
        }.keys.sorted()
    }

    /// Does what is due. `keepCopy` puts a copy of the store on the servers; false if that failed.
    /// Blocks.
    func work(_ keepCopy: () -> Bool) -> ClusterEvent? {
        if let wanted = state.withLock({ $0.wanted }), store.knownKeys.contains(wanted.id) {
            let failure = use(wanted)
            state.withLock { ($0.wanted, $0.failure) = (nil, failure) }
        }
        guard let sealing = clusterState.sealingState else { return nil }
        guard store.sealingKey == sealing.key else { return follow(sealing.key) }
        return sealing.isResealing && store.isLead ? reseal(sealing.key, keepCopy) : nil
    }

    /// Makes `key` the key of the cluster. Returns why that failed; nil if it did not.
    private func use(_ key: MasterKey) -> String? {
        let lacking = lacking(key.id)
        guard lacking.isEmpty else {
            return "these nodes do not have the key: " + lacking.joined(separator: ", ")
        }
        do throws(ClusterFault) {
            try clusterState.rotate(to: key.id) { (identity) throws(ClusterFault) in
                let origin: StoreOrigin
                do throws(StoreFault) {
                    origin = try StoreOrigin(
                        wall: identity.origin, keys: store.ownKeys, masterKey: key)
                } catch { throw .unsealable }
                return ClusterState.Identity(
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
        // A node that still seals under the former key could write rows that were already looked
        // at.
        guard clusterState.nodeReports.values.allSatisfy({ $0?.sealingKey == key }) else {
            return nil
        }
        guard state.withLock({ $0.resealing }) == key else {
            state.withLock { $0.resealing = key }
            store.reseal()
            return nil
        }
        // A new node begins with the copy, and needs no former key.
        guard let unopened = store.unopenedRows, keepCopy(),
            (try? clusterState.endResealing(key, unopened: unopened)) != nil
        else { return nil }
        state.withLock { $0.resealing = nil }
        return .resealed(key, unopened: unopened)
    }
}
