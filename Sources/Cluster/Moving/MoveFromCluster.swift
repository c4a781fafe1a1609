package import Mailbox
import System

/// Moves the store out of its cluster, to this machine. The log ends with that.
package struct MoveFromCluster: Sendable {
    /// In milliseconds. A node sends a heartbeat every two seconds.
    private static let silence: Int64 = 5_000
    private static let attempts = 5
    /// How long the writer may take to come to a rest, in milliseconds.
    private static let patience: Int64 = 20_000

    private let cluster: ClusterConnection
    private let node: String
    private let folder: String

    package init(_ cluster: ClusterConnection, node: String, folder: String) {
        (self.cluster, self.node, self.folder) = (cluster, node, folder)
    }

    /// Fails if other nodes live. Blocks for some seconds, in which their heartbeats would come.
    package func checkOthers() throws(ClusterFault) {
        WorkPause.milliseconds(UInt32(Self.silence))
        let others = cluster.state.others(heardWithin: Self.silence)
        guard others.isEmpty else { throw .othersLive(others) }
    }

    /// Ends the log, and gives the file to this machine. After a failure everything is as before,
    /// or the log has ended and `finish` does the rest. The writer of `store` rests afterwards.
    /// Blocks.
    package func run(_ store: SQLiteStore) throws {
        // No store has numbers of this block yet. Numbers before it are in the file, or were never
        // used.
        let block = try cluster.state.takeNumbers()
        var hasEnded = false
        for _ in 0..<Self.attempts where !hasEnded {
            guard store.pause(within: Self.patience) else { throw ClusterFault.noAnswer }
            do {
                hasEnded = try cluster.log.end(after: store.applied, as: node)
            } catch {
                store.goOn()
                throw error
            }
            // Another node has written, and its entry is on its way to this one.
            if !hasEnded { store.goOn() }
        }
        guard hasEnded else { throw ClusterFault.othersLive([]) }
        try leave(before: block)
    }

    /// Goes on after a move that was interrupted. False if the log has not ended.
    package func finish() throws -> Bool {
        let ending = try cluster.logEnding()
        guard case .end(let node)? = ending.boundary else { return false }
        guard node == self.node, let place = try StorePlace(in: folder),
            place.applied == ending.state.last - 1
        else { throw ClusterFault.ended(node: node) }
        try leave(before: try cluster.state.takeNumbers())
        return true
    }

    private func leave(before block: Int64) throws {
        let place = try StorePlace(of: folder)
        try StorePlace.leave(
            fileAt: StoreCopy.store(in: folder),
            before: NumberBlock(number: UInt32(clamping: block)), place.time(at: cluster.reading),
            at: .now())
        ConfirmedEntry.forget(in: folder)
    }
}

/// Gives the store of a node to its machine alone, when the log of the cluster is lost. Then it can
/// be moved to servers like any other store of one machine.
package enum ClusterRebuild {
    /// In milliseconds. A node sends a heartbeat every two seconds.
    private static let silence: Int64 = 5_000
    /// The other nodes may have begun so many blocks of row numbers that this node has not heard
    /// of.
    private static let blocks: UInt32 = 16

    /// Fails if nodes live, because they would go on with their own stores. Blocks for some
    /// seconds.
    package static func checkOthers(_ settings: ClusterSettings) throws(ClusterFault) {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let heartbeats: Heartbeats
        do throws(NatsError) {
            heartbeats = try Heartbeats(connection, name: settings.name)
        } catch { throw ClusterFault(error) }
        WorkPause.milliseconds(UInt32(silence))
        let others = heartbeats.others(heardWithin: silence).sorted()
        guard others.isEmpty else { throw .othersLive(others) }
    }

    /// Fails if the log has everything that this folder has, and changes besides that would be
    /// lost. Blocks.
    package static func checkLog(_ settings: ClusterSettings, for folder: String) throws {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let timer = try ClusterTimer { [connection] in connection.giveUp(at: Boot.milliseconds) }
        defer { timer.stop() }
        let jetStream = JetStream(connection)
        guard let log = try LogEnding(jetStream), !log.isEmpty else { return }
        let place = try StorePlace(of: folder)
        let continuity = LogContinuity(jetStream: jetStream)
        let marks = [place.mark, ConfirmedEntry.read(in: folder)].compactMap(\.self)
        do { try continuity.check(log.state, applied: place.applied, marks) } catch {
            // The servers have another log than the one that this folder followed.
            if case .wentBack = error { return }
            throw error
        }
        guard try continuity.hasChanges(after: place.applied, through: log.state.last) else {
            return
        }
        throw ClusterFault.hasMore(last: log.state.last, applied: place.applied)
    }

    /// Gives the store in this folder to this machine alone. The caller has locked the folder.
    package static func leave(_ folder: String) throws {
        let place = try StorePlace(of: folder)
        guard place.applied > 0 else { return }
        // The clock of the cluster is gone; the clock of this machine is the nearest to it.
        var reading = ClockReading.now()
        reading.boot = nil
        try StorePlace.leave(
            fileAt: StoreCopy.store(in: folder),
            before: NumberBlock(number: place.blocks + blocks), place.time(at: reading),
            at: .now())
        ConfirmedEntry.forget(in: folder)
    }

    /// Removes what the cluster has left on the servers. Blocks.
    package static func clear(_ settings: ClusterSettings) throws(ClusterFault) {
        try ClusterLeftovers.remove(settings, isLost: true)
    }
}
