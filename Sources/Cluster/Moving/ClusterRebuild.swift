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

    /// Nobody may use the folder.
    package static func leave(_ folder: String) throws {
        let lock = try StateFolder(folder)
        let place = try StorePlace(of: lock.path)
        guard place.applied > 0 else { return }
        // The clock of the cluster is gone, and that of this machine is the nearest to it.
        var reading = ClockReading.now()
        reading.boot = nil
        try StorePlace.leave(
            fileAt: StoreCopy.store(in: lock.path),
            before: NumberBlock(number: place.blocks + blocks), place.time(at: reading),
            at: .now())
        WantedCopy.forget(in: lock.path)
        ConfirmedEntry.forget(in: lock.path)
    }

    /// Removes what is on the servers. Blocks.
    package static func clear(_ settings: ClusterSettings) throws(ClusterFault) {
        try ClusterRemains.remove(settings, isLost: true)
    }
}
