import API
import Cluster
import Configuration
import Crypto
import Glibc
import Mailbox
import System

/// This server as one of several that share a store.
final class ClusterNode {
    private let cluster: Membership
    private let remote: RemoteStore
    private var upkeep: ClusterUpkeep?
    private var store: SQLiteStore?
    private let startAgain = StartAgain()

    /// The process has to end with a failure, so that its manager starts it again.
    var mustStartAgain: Bool { startAgain.isRaised }

    /// The time of day, in seconds since 1970, which is the same for all nodes.
    var time: @Sendable () -> Double {
        let offset = cluster.clockOffset
        return { Double(Boot.milliseconds + offset) / 1_000 }
    }

    init(_ remote: RemoteStore, _ log: Log) throws {
        self.remote = remote
        settings = try Self.settings(remote)
        cluster = try Membership(settings)
        do { try Self.checkServers(cluster.syncsAlways(), remote) } catch {
            cluster.close()
            throw error
        }
        log.write(.info, "cluster-joined", [("node", remote.node)])
    }

    static func settings(_ remote: RemoteStore) throws -> ClusterSettings {
        var settings = ClusterSettings(servers: remote.servers, name: remote.node)
        settings.authority = remote.authorities
        settings.credentials = try remote.checkedCredentials()
        settings.replicas = remote.replicas
        return settings
    }

    /// What a server acknowledges has to be on its disk.
    static func checkServers(
        _ syncsAlways: @autoclosure () -> Bool?, _ remote: RemoteStore
    ) throws {
        guard !remote.acceptsUnsynced else { return }
        switch syncsAlways() {
        case true?: return
        case false?:
            throw CommandError(
                message: "a server of NATS confirms messages that are not on its disk yet",
                hint: "write sync_interval: always into its jetstream block, or set "
                    + "store-unsynced = yes if you can lose two minutes")
        case nil:
            throw CommandError(
                message: "the servers of NATS do not say whether they sync each write",
                hint: "let the account ask bw.servers as deploy/nats/server.conf does, or set "
                    + "store-unsynced = yes")
        }
    }

    func openStore(_ options: SQLiteStore.Options) throws -> SQLiteStore {
        try cluster.openStore(options, node: remote.node)
    }

    /// What takes the store out of the cluster.
    func departure(from folder: String) -> Departure {
        Departure(cluster, node: remote.node, folder: folder)
    }

    /// How to connect to the servers.
    let settings: ClusterSettings

    /// Does what the others need of this node.
    func begin(with store: SQLiteStore, in folder: String, _ log: Log) throws {
        let upkeep = ClusterUpkeep(cluster, store, in: folder) { [startAgain] event in
            switch event {
            case .lost(let node): log.write(.warning, "node-lost", [("node", node)])
            case .snapshot(let number): log.write(.info, "snapshot-kept", [("entry", "\(number)")])
            case .snapshotFailed(let reason):
                log.write(.error, "snapshot-failed", [("reason", reason)])
            case .cutOff:
                log.write(
                    .error, "cluster-lost",
                    [("advice", "this node refuses everything until the cluster answers again")])
            case .behind:
                log.write(
                    .error, "node-behind",
                    [("hint", "start bellwire again: it then gets a copy of the store")])
                startAgain.raise()
            case .newerLog(let schema):
                log.write(
                    .error, "node-older",
                    [("schema", "\(schema)"), ("hint", "upgrade bellwire on this node")])
                startAgain.raise()
            case .keyMissing(let id):
                log.write(
                    .error, "master-key-missing",
                    [("id", Self.text(id)), ("hint", "give this node the cluster's new key")])
                startAgain.raise()
            case .keyUsed(let id): log.write(.info, "master-key-used", [("id", Self.text(id))])
            case .resealed(let id, 0):
                log.write(.info, "store-resealed", [("id", Self.text(id))])
            case .resealed(let id, let rows):
                log.write(
                    .error, "former-key-needed",
                    [
                        ("id", Self.text(id)), ("rows", "\(rows)"),
                        ("reason", "they cannot be unsealed: the database is damaged"),
                    ])
            case .closed:
                log.write(
                    .error, "cluster-closed",
                    [("hint", "see that the credentials are right, and start bellwire again")])
                startAgain.raise()
            }
        }
        try upkeep.start()
        self.upkeep = upkeep
        self.store = store
    }

    /// Call this before the store is closed.
    func end() {
        upkeep?.stop()
        upkeep = nil
        store = nil
    }

    /// Call this last.
    func leave() { cluster.close() }
}

/// The master key of the cluster.
extension ClusterNode {
    /// Nil before `begin`.
    var rotation: KeyRotation? { upkeep?.rotation }

    /// Opens what is sealed under keys that were put into the folder since the start.
    func learn(_ keys: KeyFolder) throws {
        for key in try keys.clusterKeys() { store?.learn(key) }
    }

    private static func text(_ id: UInt64) -> String { StoredKey.masterID(id) }

    /// Has all nodes seal under the key that is next, and returns its id.
    static func beginRotation(
        _ rotation: KeyRotation?, _ keys: KeyFolder, _ log: Log
    ) throws -> String {
        guard let rotation else { throw refusal(of: .unheard) }
        guard let key = try keys.nextMasterKey() else {
            throw RotationRefusal(
                reason: "put the new key onto each node first: make it with bellwire keys new "
                    + "master master-next.json, and copy it to \(keys.writable)")
        }
        do throws(KeyRotation.Refusal) { try rotation.begin(with: key) } catch {
            throw refusal(of: error)
        }
        let id = text(key.id)
        log.write(.info, "master-key-next", [("id", id)])
        return id
    }

    private static func refusal(of refusal: KeyRotation.Refusal) -> RotationRefusal {
        switch refusal {
        case .underWay:
            RotationRefusal(reason: "the master key is being changed already")
        case .inUse:
            RotationRefusal(reason: "the key in master-next.json is in use already")
        case .unheard:
            RotationRefusal(
                reason: "this node has just joined the others; try again in ten seconds")
        case .lacking(let nodes):
            RotationRefusal(
                reason: "these nodes do not have the key of master-next.json: "
                    + nodes.joined(separator: ", ")
                    + "; put it there, and let them read it by SIGHUP or a restart")
        }
    }
}

/// A wish for an orderly end, and another start.
private final class StartAgain: Sendable {
    private let raised = Lock(false)

    var isRaised: Bool { raised.withLock { $0 } }

    func raise() {
        raised.withLock { $0 = true }
        kill(getpid(), SIGTERM)
    }
}
