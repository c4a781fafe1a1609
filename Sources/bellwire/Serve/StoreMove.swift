import API
import Cluster
import Configuration
import Crypto
import Mailbox
import System

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
        let arrival = try Arrival(try ClusterNode.settings(remote))
        defer { arrival.close() }
        try ClusterNode.check(arrival.serverReport(), remote)
        try arrival.begin(place)
        do { try copy(by: arrival) } catch {
            // It may have failed after the step that decides.
            if let place = try? StorePlace(in: folder), place.applied > 0 { return }
            store.goOn()
            // If this fails too, another attempt with this store uses what is there.
            try? ClusterRemains.remove(try ClusterNode.settings(remote))
            throw error
        }
    }

    private func copy(by arrival: Arrival) throws {
        for _ in 0..<Self.mostCopies {
            let began = Boot.milliseconds
            try arrival.put(storeIn: folder) { report(.copying, $0, $1) }
            if Boot.milliseconds - began < Self.quick { break }
        }
        report(.finishing, 0, 1)
        guard store.pause(within: Self.patience) else {
            throw CommandError(
                message: "the store does not come to a rest", hint: "try again",
                exitCode: .unavailable)
        }
        try arrival.put(storeIn: folder) { report(.finishing, $0, $1) }
        try arrival.complete(folder)
    }

    /// The writer rests afterwards, and the store is of this machine. If it fails, everything is as
    /// before, unless nobody knows whether the cluster has ended; then another attempt leads on.
    /// `remains`: where to remove what the cluster leaves behind.
    func run(outOf departure: Departure, removing remains: ClusterSettings?) throws {
        report(.checking, 0, 1)
        try departure.checkOthers()
        report(.finishing, 0, 1)
        try departure.run(store)
        report(.finishing, 1, 1)
        // The store has left, whatever becomes of the rest.
        if let remains { try? ClusterRemains.remove(remains) }
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
        let departure = node.departure(from: folder)
        if try departure.finish() {
            if removes { try ClusterRemains.remove(node.settings) }
            return
        }
        let store = try node.openStore(try options(configuration, lock), log)
        defer { store.close() }
        try StoreMove(store: store, folder: folder, report: report).run(
            outOf: departure, removing: removes ? node.settings : nil)
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
