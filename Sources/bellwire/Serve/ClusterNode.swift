import Cluster
import Configuration
import Glibc
import Mailbox
import System

/// This server as one of several that share a store.
final class ClusterNode {
    private let cluster: Membership
    private let remote: RemoteStore
    private var upkeep: ClusterUpkeep?
    private let startAgain = StartAgain()

    /// The process has to end with a failure, so that its manager starts it again.
    var mustStartAgain: Bool { startAgain.isRaised }

    init(_ remote: RemoteStore, _ log: Log) throws {
        self.remote = remote
        cluster = try Membership(Self.settings(remote))
        do { try Self.checkServers(cluster.syncsAlways(), remote) } catch {
            cluster.close()
            throw error
        }
        log.write(.info, "cluster-joined", [("node", remote.node)])
    }

    static func settings(_ remote: RemoteStore) -> ClusterSettings {
        var settings = ClusterSettings(servers: remote.servers, name: remote.node)
        settings.authority = remote.authorities
        settings.credentials = remote.credentials.flatMap { path in
            remote.isCredentialsNamed || access(path, R_OK) == 0 ? path : nil
        }
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
    var settings: ClusterSettings { Self.settings(remote) }

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
            case .closed:
                log.write(
                    .error, "cluster-closed",
                    [("hint", "see that the credentials are right, and start bellwire again")])
                startAgain.raise()
            }
        }
        try upkeep.start()
        self.upkeep = upkeep
    }

    /// Call this before the store is closed.
    func end() {
        upkeep?.stop()
        upkeep = nil
    }

    /// Call this last.
    func leave() { cluster.close() }
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
