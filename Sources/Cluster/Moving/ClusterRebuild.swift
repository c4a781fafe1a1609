import Mailbox
import System

/// Makes the store of one node into one of one machine, which can be moved to servers as any other,
/// when the log that it followed is lost.
package enum ClusterRebuild {
    /// In milliseconds. A node gives a sign every two seconds.
    private static let silence: Int64 = 5_000
    /// Others may have begun so many blocks of row numbers of which this node knows nothing.
    private static let blocks: UInt32 = 16

    /// Fails if nodes live, which would go on with what they have. Blocks for some seconds.
    package static func checkOthers(_ settings: ClusterSettings) throws(ClusterFault) {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let watch: LifeWatch
        do throws(NatsError) {
            watch = try LifeWatch(connection, name: settings.name)
        } catch { throw ClusterFault(error) }
        WorkPause.milliseconds(UInt32(silence))
        let others = watch.others(heardWithin: silence).sorted()
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
        try ClusterRemains.remove(settings, isLost: true)
    }
}
