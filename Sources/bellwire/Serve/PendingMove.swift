import Base
import Cluster
import Configuration
import Mailbox
import System

/// A move to a cluster that has begun and not ended, as a file of the state folder.
///
/// Whoever moves may be killed. The configuration names the cluster by then, so the next start
/// would wait for somebody who moves the store: it goes on by itself instead.
enum PendingMove: String {
    /// The store of a cluster that is lost is to become one of this machine.
    case leaving
    /// It is one, and what the servers still have of that cluster is to go.
    case clearing
    /// It is to be put there.
    case arriving

    private static func path(_ folder: String) -> String { folder + "/moving" }

    /// Nil if no move is pending there.
    init?(in folder: String) {
        guard let bytes = try? TextFile.read(Self.path(folder)),
            let found = PendingMove(rawValue: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self = found
    }

    /// Blocks until it is on the disk.
    func begin(in folder: String) throws(SystemError) {
        try AtomicFile.replace(
            Self.path(folder), with: Array(rawValue.utf8).span, mode: 0o600)
    }

    static func end(in folder: String) { FileRemoval.remove(path(folder)) }

    /// Does what is left of a move, before the store is opened.
    static func settle(
        _ configuration: ServerConfiguration, _ lock: StateFolder, _ log: Log
    ) throws {
        let folder = configuration.state
        if let remote = try PendingMoveFromCluster.cluster(in: folder) {
            try PendingMoveFromCluster.settle(remote, configuration, lock, log)
        }
        PendingMoveFromCluster.end(in: folder)
        guard let pending = PendingMove(in: folder) else { return }
        guard let remote = configuration.remoteStore else {
            // Nobody wants it any more. Another attempt uses what is on the servers.
            if pending != .leaving { end(in: folder) }
            return
        }
        log.write(.info, "store-moving", [("to", "cluster")])
        let progress = Progress(.lines)
        try ClusterRebuilding(remote, configuration, progress).goOn(from: pending, lock)
        log.write(.info, "store-moved", [("to", "cluster")])
    }
}

/// The same for a move out of a cluster, whose servers the configuration does not name any more.
enum PendingMoveFromCluster {
    private static func path(_ folder: String) -> String { folder + "/leaving" }

    /// It stays pending if `body` may have ended the cluster, or has, and the store has not left it.
    /// Only the server's user can read the file.
    static func run(
        from cluster: RemoteStore, in folder: String, _ body: () throws -> Void
    ) throws {
        try AtomicFile.replace(path(folder), with: Array(cluster.lines.utf8).span, mode: 0o600)
        do { try body() } catch {
            if let fault = error as? ClusterFault, fault != .noAnswer { end(in: folder) }
            throw error
        }
        end(in: folder)
    }

    /// A kill may have left a draft, which has the password as well.
    static func end(in folder: String) {
        FileRemoval.remove(path(folder))
        FileRemoval.remove(path(folder) + ".new")
    }

    /// Nil if no move is pending there.
    static func cluster(in folder: String) throws -> RemoteStore? {
        guard FileStamp(of: path(folder)) != nil else { return nil }
        let lines = String(decoding: try TextFile.read(path(folder)), as: UTF8.self)
        return try RemoteStore(
            lines: lines, environment: Environment.values(of: ["CREDENTIALS_DIRECTORY"]))
    }

    static func settle(
        _ cluster: RemoteStore, _ configuration: ServerConfiguration, _ lock: StateFolder,
        _ log: Log
    ) throws {
        let folder = configuration.state
        // If the configuration names the cluster again, nobody wants it any more.
        if configuration.remoteStore == nil, let place = try StorePlace(in: folder),
            place.applied > 0
        {
            log.write(.info, "store-moving", [("to", "sqlite")])
            try StoreMove.takeOut(
                of: cluster, configuration, lock, removes: false, log
            ) { _, _, _ in }
            log.write(.info, "store-moved", [("to", "sqlite")])
        }
    }
}

/// Makes a cluster anew from the folder of one of its nodes, step by step: each can be repeated.
struct ClusterRebuilding {
    private let remote: RemoteStore
    private let configuration: ServerConfiguration
    private let progress: Progress

    init(_ remote: RemoteStore, _ configuration: ServerConfiguration, _ progress: Progress) {
        (self.remote, self.configuration, self.progress) = (remote, configuration, progress)
    }

    func goOn(from pending: PendingMove, _ lock: StateFolder) throws {
        let folder = configuration.state
        let settings = try ClusterNode.settings(remote)
        let options = try StoreMove.options(configuration, lock)
        if pending != .arriving { try check(settings, options) }
        if pending == .leaving {
            try ClusterRebuild.leave(folder)
            try PendingMove.clearing.begin(in: folder)
        }
        if pending != .arriving {
            try ClusterRebuild.clear(settings)
            try PendingMove.arriving.begin(in: folder)
        }
        if let place = try StorePlace(in: folder), place.applied == 0 {
            let store = try SQLiteStore(options)
            defer { store.close() }
            try StoreMove(store: store, folder: folder) { [progress] step, done, total in
                progress.advance(step.rawValue, to: done, of: total)
            }.run(into: remote)
        }
        PendingMove.end(in: folder)
    }

    /// Fails if the move could not come to its end, or would lose more than it must.
    private func check(_ settings: ClusterSettings, _ options: SQLiteStore.Options) throws {
        let place = try StorePlace(of: options.folder)
        guard place.applied > 0 else { return try ClusterRebuild.checkOthers(settings) }
        do {
            try place.check(options)
            try ClusterNode.check(try ClusterConnection.serverReport(settings), remote)
            try ClusterRebuild.checkLog(settings, for: options.folder)
            try PendingMove.leaving.begin(in: options.folder)
            try ClusterRebuild.checkOthers(settings)
        } catch {
            // Everything is as it was.
            PendingMove.end(in: options.folder)
            throw error
        }
    }
}
