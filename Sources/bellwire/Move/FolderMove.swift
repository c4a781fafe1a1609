import API
import Cluster
import Configuration
import Crypto
import Mailbox
import System

/// Moves the store in a folder that no server uses.
struct FolderMove {
    /// Nil for this machine alone.
    let target: RemoteStore?
    let configuration: ServerConfiguration
    let progress: Progress

    func run(removes: Bool) throws -> ExitCode {
        let folder = configuration.state
        guard let place = try StorePlace(in: folder) else {
            throw CommandError(
                message: "there is no store in \(folder)",
                hint: "name the server's state folder by --state")
        }
        if let target {
            guard place.applied == 0 else {
                throw CommandError(
                    message: "the store in \(folder) is in a cluster already",
                    hint: "start bellwire serve with that cluster as store")
            }
            try moveIn(target, folder)
        } else {
            guard place.applied > 0 else {
                throw CommandError(message: "the store in \(folder) is on this machine already")
            }
            try moveOut(folder, removes: removes)
        }
        try MoveText.end(progress, "moved", text)
        return .success
    }

    static func remove(_ remote: RemoteStore) throws {
        try ClusterRemains.remove(try ClusterNode.settings(remote))
    }

    private var text: String {
        MoveText.moved(to: target, paused: nil)
            + "let store say so in the configuration before you start the server\n"
    }

    private func moveIn(_ remote: RemoteStore, _ folder: String) throws {
        let store = try SQLiteStore(try options(folder))
        defer { store.close() }
        try move(store, folder).run(into: remote)
    }

    private func moveOut(_ folder: String, removes: Bool) throws {
        guard let remote = configuration.remoteStore else {
            throw CommandError.usage(
                "the servers of the cluster are not known",
                hint: "name them by --store as the configuration did before")
        }
        let node = try ClusterNode(remote, Log())
        defer { node.leave() }
        let departure = node.departure(from: folder)
        if try departure.finish() {
            if removes { try ClusterRemains.remove(node.settings) }
            return
        }
        let store = try node.openStore(try options(folder))
        defer { store.close() }
        try move(store, folder).run(
            outOf: departure, removing: removes ? node.settings : nil)
    }

    private func move(_ store: SQLiteStore, _ folder: String) -> StoreMove {
        StoreMove(store: store, folder: folder) { [progress] step, done, total in
            progress.advance(step.rawValue, to: done, of: total)
        }
    }

    private func options(_ folder: String) throws -> SQLiteStore.Options {
        let keys = try KeyFolder.masterKeys(configuration)
        guard let key = keys.first, keys.count == 1 else {
            throw CommandError(
                message: "the master key is being changed",
                hint: "start the server, and wait until it says store-resealed")
        }
        return SQLiteStore.Options(folder: folder, masterKey: key)
    }
}
