import API
import Cluster
import Configuration
import Mailbox
import Reactor
import System

/// Moves the store of a running server, which then starts again at its new place.
final class ServerMove: Sendable {
    /// Nil if the store is of this machine alone; with what connects to the servers.
    private let cluster: (departure: Departure, settings: ClusterSettings, store: RemoteStore)?
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
        cluster = node.map { ($0.departure(from: state), $0.settings, $0.remote) }
        self.configure = configure
        status = Lock(MoveStatus(at: node == nil ? .sqlite : .cluster))
    }

    var hasMoved: Bool { status.withLock { $0.hasMoved } }

    /// Begins, unless a move is under way, and tells how far it is.
    func handle(_ wish: MoveWish?) -> MoveStatus {
        if let wish, take() {
            do throws(ReactorError) {
                let thread = try WorkThread(name: "store-move") { self.run(wish) }
                self.thread.withLock { former in
                    former?.letGo()
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
        if let (departure, settings, remote) = cluster {
            // If this process is killed, its next start goes on.
            try PendingDeparture.run(from: remote, in: state) {
                try move.run(outOf: departure, removing: wish.removes ? settings : nil)
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
