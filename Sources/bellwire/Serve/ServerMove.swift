import API
import Cluster
import Configuration
import Crypto
import Mailbox
import System

/// Moves the store of a running server, which then starts again at its new place.
final class ServerMove: Sendable {
    /// Nil if the store is of this machine alone; with what connects to the servers.
    private let cluster:
        (fromCluster: MoveFromCluster, settings: ClusterSettings, store: RemoteStore)?
    private let state: String
    private let store: SQLiteStore
    private let log: Log
    /// Reads the configuration again, as the next start does.
    private let configure: @Sendable () throws -> ServerConfiguration
    private let status: Lock<MoveStatus>
    private let thread = Lock<WorkThread?>(nil)
    private let pausedAt = Lock<Int64?>(nil)

    init(
        of store: SQLiteStore, in state: String, _ node: ClusterNode?, _ log: Log,
        configure: @escaping @Sendable () throws -> ServerConfiguration
    ) {
        (self.store, self.state, self.log) = (store, state, log)
        cluster = node.map { ($0.moveFromCluster(state), $0.settings, $0.remote) }
        self.configure = configure
        status = Lock(MoveStatus(at: node == nil ? .sqlite : .cluster))
    }

    var hasMoved: Bool { status.withLock { $0.hasMoved } }

    /// Begins, unless a move is under way, and tells how far it is.
    func handle(_ wish: MoveWish?) -> MoveStatus {
        if let wish, take() {
            do throws(SystemError) {
                let thread = try WorkThread(name: "store-move") { self.run(wish) }
                self.thread.withLock { former in
                    former?.detach()
                    former = thread
                }
            } catch { fail(error) }
        }
        return status.withLock { status in
            status.paused = pausedAt.withLock { $0 }.map { Boot.milliseconds - $0 }
            return status
        }
    }

    /// Call this before the store is closed.
    func end() { thread.withLock { $0 }?.join() }

    private func take() -> Bool {
        status.withLock { status in
            guard status.step == nil, !status.hasMoved else { return false }
            status = MoveStatus(at: status.place)
            status.step = .checking
            return true
        }
    }

    private func run(_ wish: MoveWish) {
        log.write(.info, "store-moving", [("to", wish.place.rawValue)])
        do {
            try move(wish)
            status.withLock { ($0.step, $0.hasMoved) = (nil, true) }
            log.write(.info, "store-moved", [("to", wish.place.rawValue)])
            SignalQueue.askToEnd()
        } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        let error = CommandError(error)
        pausedAt.withLock { $0 = nil }
        status.withLock { ($0.step, $0.failure, $0.hint) = (nil, error.message, error.hint) }
        log.write(.error, "store-not-moved", [("reason", error.message)])
    }

    private func move(_ wish: MoveWish) throws {
        let configuration = try configure()
        try check(configuration, wish)
        guard store.resealing == nil else {
            throw CommandError(
                message: "the master key is being changed",
                hint: "wait until bellwire keys rotate-master is done")
        }
        let move = StoreMove(store: store, folder: state) { step, done, total in
            if step == .finishing { self.pausedAt.withLock { $0 = $0 ?? Boot.milliseconds } }
            self.status.withLock { ($0.step, $0.done, $0.total) = (step, done, total) }
        }
        if let (fromCluster, settings, remote) = cluster {
            // If this process is killed, its next start goes on.
            try PendingMoveFromCluster.run(from: remote, in: state) {
                try move.run(outOf: fromCluster, removing: wish.removes ? settings : nil)
            }
        } else if let remote = configuration.remoteStore {
            try PendingMove.arriving.begin(in: state)
            defer { PendingMove.end(in: state) }
            try move.run(into: remote)
        }
    }

    /// The next start goes by the configuration, so that must name the new place already.
    private func check(_ configuration: ServerConfiguration, _ wish: MoveWish) throws {
        let present: MoveStatus.Place = cluster == nil ? .sqlite : .cluster
        guard wish.place != present else {
            throw CommandError.usage("the store is there already")
        }
        guard configuration.state == state else {
            throw CommandError.usage(
                "the configuration names another state folder",
                hint: "let state be \(state), and run this again")
        }
        switch (wish.place, configuration.remoteStore) {
        case (.sqlite, nil): break
        case (.sqlite, _?):
            throw CommandError.usage(
                "the configuration of the server still names a cluster as its store",
                hint: "write store = sqlite there first; the server reads it when it has moved")
        case (.cluster, nil):
            throw CommandError.usage(
                "the configuration of the server does not name the cluster yet",
                hint: "write store = SERVERS there first; the server reads it when it has moved")
        case (.cluster, let remote?):
            if let servers = wish.servers, !remote.isAt(servers) {
                throw CommandError.usage(
                    "the configuration of the server names other servers than --to",
                    hint: "leave out --to, or change store there")
            }
        }
    }
}

/// Moves a store, whose server may go on meanwhile, between one machine and a cluster.
struct StoreMove {
    typealias Report = (_ step: MoveStatus.Step, _ done: Int, _ total: Int) -> Void

    /// A copy that took longer is followed by another one, because much may have changed. In
    /// milliseconds.
    private static let quick: Int64 = 1_000
    private static let mostCopies = 4
    /// In milliseconds: for the writer to come to a rest.
    private static let patience: Int64 = 20_000

    let store: SQLiteStore
    let folder: String
    let report: Report

    /// The writer rests afterwards, and the store belongs to the cluster. If it fails, everything is
    /// as before.
    func run(into remote: RemoteStore) throws {
        report(.checking, 0, 1)
        guard let place = try StorePlace(in: folder), place.applied == 0 else {
            throw StoreFault.shared
        }
        let toCluster = try MoveToCluster(try ClusterNode.settings(remote))
        defer { toCluster.close() }
        try ClusterNode.check(toCluster.serverReport(), remote)
        try toCluster.begin(place)
        do { try copy(by: toCluster) } catch {
            // It may have failed after the step that decides.
            if let place = try? StorePlace(in: folder), place.applied > 0 { return }
            store.goOn()
            // If this fails too, another attempt with this store uses what is there.
            try? ClusterLeftovers.remove(try ClusterNode.settings(remote))
            throw error
        }
    }

    private func copy(by toCluster: MoveToCluster) throws {
        for _ in 0..<Self.mostCopies {
            let began = Boot.milliseconds
            try toCluster.put(storeIn: folder) { report(.copying, $0, $1) }
            if Boot.milliseconds - began < Self.quick { break }
        }
        report(.finishing, 0, 1)
        guard store.pause(within: Self.patience) else {
            throw CommandError.unavailable("the store does not come to a rest", hint: "try again")
        }
        try toCluster.put(storeIn: folder) { report(.finishing, $0, $1) }
        try toCluster.complete(folder)
    }

    /// The writer rests afterwards, and the store is of this machine. If it fails, everything is as
    /// before, unless nobody knows whether the cluster has ended; then another attempt leads on.
    /// `leftovers`: where to remove what the cluster leaves behind.
    func run(outOf fromCluster: MoveFromCluster, removing leftovers: ClusterSettings?) throws {
        report(.checking, 0, 1)
        try fromCluster.checkOthers()
        report(.finishing, 0, 1)
        try fromCluster.run(store)
        report(.finishing, 1, 1)
        // The store has left, whatever becomes of the rest.
        if let leftovers { try? ClusterLeftovers.remove(leftovers) }
    }
}

extension StoreMove {
    /// The same for a folder that no server uses. Goes on after an attempt that was interrupted.
    static func takeOut(
        of cluster: RemoteStore, _ configuration: ServerConfiguration, _ lock: StateFolder,
        removes: Bool, _ log: Log, _ report: @escaping Report
    ) throws {
        let folder = configuration.state
        let node = try ClusterNode(cluster, in: folder, log)
        defer { node.leave() }
        let fromCluster = node.moveFromCluster(folder)
        if try fromCluster.finish() {
            if removes { try ClusterLeftovers.remove(node.settings) }
            return
        }
        let store = try node.openStore(try options(configuration, lock), log)
        defer { store.close() }
        try StoreMove(store: store, folder: folder, report: report).run(
            outOf: fromCluster, removing: removes ? node.settings : nil)
    }

    /// For the store in a folder that no server uses.
    static func options(
        _ configuration: ServerConfiguration, _ lock: StateFolder
    ) throws -> SQLiteStore.Options {
        let keys = try KeyFolder.masterKeys(configuration)
        guard let key = keys.first, keys.count == 1 else {
            throw CommandError(
                message: "the master key is being changed",
                hint: "start the server, and wait until it says store-resealed")
        }
        var options = SQLiteStore.Options(folder: configuration.state, masterKey: key)
        options.lock = lock
        return options
    }
}
