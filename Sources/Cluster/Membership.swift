import System

/// A node's part in a cluster: the connection to its servers, and what is kept there.
package final class Membership: Sendable {
    package let log: ClusterLog
    package let record: ClusterRecord
    /// The cluster's time in milliseconds since 1970, less `Boot.milliseconds`.
    package let clockOffset: Int64

    private let connection: NatsConnection
    private let jetStream: JetStream
    private let timer: ClusterTimer

    /// Connects, and makes the streams that are not there yet. Blocks for some seconds at most.
    package init(_ settings: ClusterSettings) throws(ClusterFault) {
        connection = try ClusterOpening.connect(settings)
        jetStream = JetStream(connection)
        let ticking = Ticking()
        timer = try ClusterTimer { [connection] in
            connection.giveUp(at: Boot.milliseconds)
            ticking.tick()
        }
        do throws(ClusterFault) {
            let opening = ClusterOpening(jetStream, replicas: settings.replicas)
            try opening.makeStreams()
            clockOffset = try opening.clockOffset()
            record = try ClusterRecord(jetStream, name: settings.name)
            do throws(NatsError) { log = try ClusterLog(jetStream, record) } catch {
                throw ClusterFault(error)
            }
        } catch {
            timer.stop()
            throw error
        }
        ticking.start(log, record)
        connection.follow { [weak log, weak record] in
            log?.connectionReturned()
            record?.connectionReturned()
        }
    }

    /// Whether this node has all that was in the log a second ago, and the cluster answers. Never
    /// before the log is followed.
    package var isUsable: Bool { connection.isConnected && log.isCurrent }

    /// The connection ended for good: only a new start leads on.
    package var isClosed: Bool { connection.isClosed }

    /// Whether all servers that answer acknowledge only what is on their disks. Nil if this account
    /// may not ask them (see `ServerSurvey`). Blocks for a second at most.
    package func syncsAlways() -> Bool? { ServerSurvey.syncsAlways(connection) }

    /// Keeps a copy of the store that has every entry up to `number`, instead of older ones. Blocks,
    /// at most until it is not wanted any more.
    package func putSnapshot(
        fileAt path: String, through number: Int64,
        while isWanted: @escaping () -> Bool = { true }
    ) throws(ClusterFault) {
        var writing = try SnapshotWriting(jetStream, while: isWanted)
        try writing.write(path, through: number)
    }

    /// Gets the newest copy of a store. The result is the last entry that it has; nil if there is
    /// no copy. Blocks.
    package func newestSnapshot(to path: String) throws(ClusterFault) -> Int64? {
        try SnapshotReading(jetStream: jetStream).read(to: path)
    }

    func logEnding() throws(ClusterFault) -> LogEnding {
        guard let ending = try LogEnding(jetStream) else { throw .noAnswer }
        return ending
    }

    func hasIdentity() throws(ClusterFault) -> Bool {
        try ClusterRecord.identity(jetStream) != nil
    }

    /// Removes entries of the log that every store has, or gets by a snapshot. False if nobody
    /// knows whether that was done. Blocks.
    package func trimLog(through number: Int64) -> Bool { log.trim(through: number) }

    /// Gives the lead back, and hears nothing more. Once.
    package func close() {
        record.stop()
        log.stop()
        timer.stop()
        connection.close()
    }
}

/// What the timer drives, once that is there.
private final class Ticking: Sendable {
    private let parts = Lock<(log: ClusterLog, record: ClusterRecord)?>(nil)

    func start(_ log: ClusterLog, _ record: ClusterRecord) {
        parts.withLock { $0 = (log, record) }
    }

    func tick() {
        guard let (log, record) = parts.withLock({ $0 }) else { return }
        log.tick()
        record.tick()
    }
}
