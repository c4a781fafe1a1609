package import Mailbox
import System

/// Takes the store of a cluster out of it, to be one of one machine. Then the log has ended.
package struct MoveFromCluster: Sendable {
    /// In milliseconds. A node sends a heartbeat every two seconds.
    private static let silence: Int64 = 5_000
    private static let attempts = 5
    /// In milliseconds: for the writer to come to a rest.
    private static let patience: Int64 = 20_000

    private let cluster: ClusterConnection
    private let node: String
    private let folder: String

    package init(_ cluster: ClusterConnection, node: String, folder: String) {
        (self.cluster, self.node, self.folder) = (cluster, node, folder)
    }

    /// Fails if other nodes live. Blocks for some seconds, in which they would be heard.
    package func checkOthers() throws(ClusterFault) {
        WorkPause.milliseconds(UInt32(Self.silence))
        let others = cluster.state.others(heardWithin: Self.silence)
        guard others.isEmpty else { throw .othersLive(others) }
    }

    /// Ends the log, and makes the file one of this machine. If it fails, everything is as before,
    /// or the log has ended and `finish` leads on. The writer of `store` rests afterwards. Blocks.
    package func run(_ store: SQLiteStore) throws {
        // Numbers that nobody has yet: those before are in the file, or were never used.
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
            // This node may lack what is on its way.
            if !hasEnded { store.goOn() }
        }
        guard hasEnded else { throw ClusterFault.othersLive([]) }
        try leave(before: block)
    }

    /// Goes on after a departure that was interrupted. False if the log has not ended.
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

/// Makes the store of one node into one of one machine, which can be moved to servers as any other,
/// when the log that it followed is lost.
package enum ClusterRebuild {
    /// In milliseconds. A node sends a heartbeat every two seconds.
    private static let silence: Int64 = 5_000
    /// Others may have begun so many blocks of row numbers of which this node knows nothing.
    private static let blocks: UInt32 = 16

    /// Fails if nodes live, which would go on with what they have. Blocks for some seconds.
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

    /// Fails if the log has what this folder has, and more that would be lost. Blocks.
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
            // It is another one.
            if case .wentBack = error { return }
            throw error
        }
        guard try continuity.hasChanges(after: place.applied, through: log.state.last) else {
            return
        }
        throw ClusterFault.hasMore(last: log.state.last, applied: place.applied)
    }

    /// The store in this folder is of one machine from now on. The folder is locked.
    package static func leave(_ folder: String) throws {
        let place = try StorePlace(of: folder)
        guard place.applied > 0 else { return }
        // The clock of the cluster is gone, and that of this machine is the nearest to it.
        var reading = ClockReading.now()
        reading.boot = nil
        try StorePlace.leave(
            fileAt: StoreCopy.store(in: folder),
            before: NumberBlock(number: place.blocks + blocks), place.time(at: reading),
            at: .now())
        ConfirmedEntry.forget(in: folder)
    }

    /// Removes what is on the servers. Blocks.
    package static func clear(_ settings: ClusterSettings) throws(ClusterFault) {
        try ClusterLeftovers.remove(settings, isLost: true)
    }
}
