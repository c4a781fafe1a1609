import API
import Cluster
import Configuration
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
        let lock = try StateFolder(folder)
        if let target {
            guard place.applied == 0 else {
                throw CommandError(
                    message: "the store in \(folder) is in a cluster already",
                    hint: "start bellwire serve with that cluster as store; if its servers have "
                        + "lost everything, run bellwire cluster rebuild")
            }
            try PendingMove.arriving.begin(in: folder)
            defer { PendingMove.end(in: folder) }
            try moveIn(target, folder, lock)
        } else {
            guard place.applied > 0 else {
                throw CommandError(message: "the store in \(folder) is on this machine already")
            }
            try moveOut(folder, lock, removes: removes)
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

    private func moveIn(
        _ remote: RemoteStore, _ folder: String, _ lock: StateFolder
    ) throws {
        let store = try SQLiteStore(try StoreMove.options(configuration, lock))
        defer { store.close() }
        try move(store, folder).run(into: remote)
    }

    private func moveOut(_ folder: String, _ lock: StateFolder, removes: Bool) throws {
        guard let remote = configuration.remoteStore else {
            throw CommandError.usage(
                "the servers of the cluster are not known",
                hint: "name them by --store as the configuration did before")
        }
        try PendingDeparture.run(from: remote, in: folder) {
            try StoreMove.takeOut(
                of: remote, configuration, lock, removes: removes, Log()
            ) { [progress] step, done, total in
                progress.advance(step.rawValue, to: done, of: total)
            }
        }
    }

    private func move(_ store: SQLiteStore, _ folder: String) -> StoreMove {
        StoreMove(store: store, folder: folder) { [progress] step, done, total in
            progress.advance(step.rawValue, to: done, of: total)
        }
    }
}
