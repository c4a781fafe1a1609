import API
import Base
import Cluster
import Configuration
import Crypto
import Glibc
import Mailbox
import System

/// This server as one of several that share a store.
final class ClusterNode {
    private let cluster: ClusterConnection
    let remote: RemoteStore
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

    /// A folder or servers that are of no use are left as they are.
    init(_ remote: RemoteStore, in folder: String, _ log: Log) throws {
        self.remote = remote
        var settings = try Self.settings(remote)
        settings.isPatient = true
        self.settings = settings
        try ClusterConnection.checkEntrance(settings, for: folder)
        try Self.check(try ClusterConnection.serverReport(settings), remote)
        cluster = try ClusterConnection(settings)
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
    static func check(_ report: ServerReport?, _ remote: RemoteStore) throws {
        guard let report else {
            guard !remote.acceptsUnsynced else { return }
            throw CommandError(
                message: "the servers of NATS do not say whether they sync each write",
                hint: "let the account ask bw.servers as deploy/nats/server.conf does, or set "
                    + "store-unsynced = yes")
        }
        if !remote.acceptsUnsynced, !report.unsynced.isEmpty {
            throw CommandError(
                message: "a server of NATS confirms messages that are not on its disk yet: "
                    + names(report.unsynced),
                hint: "write sync_interval: always into its jetstream block, or set "
                    + "store-unsynced = yes if you can lose two minutes")
        }
        if !remote.acceptsUnsafe, !report.unsafe.isEmpty {
            throw CommandError(
                message: "a server of NATS has a version that loses confirmed messages if the "
                    + "power fails: " + names(report.unsafe),
                hint: "upgrade it to \(safeVersions), or set nats-unsafe-servers = yes")
        }
    }

    static let safeVersions = "2.15.0, 2.14.6 or 2.12.16, or to a newer one of these"

    static func names(_ servers: [String]) -> String {
        Printable.text(servers.joined(separator: ", "))
    }

    func openStore(_ options: SQLiteStore.Options, _ log: Log) throws -> SQLiteStore {
        try cluster.openStore(options, node: remote.node) { Self.write($0, log) }
    }

    /// What takes the store out of the cluster.
    func moveFromCluster(_ folder: String) -> MoveFromCluster {
        MoveFromCluster(cluster, node: remote.node, folder: folder)
    }

    /// How to connect to the servers.
    let settings: ClusterSettings

    /// Does what the others need of this node.
    func begin(with store: SQLiteStore, in folder: String, _ log: Log) throws {
        let upkeep = ClusterUpkeep(cluster, store, in: folder) { [startAgain] event in
            Self.write(event, log)
            if event.endsNode { startAgain.raise() }
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
