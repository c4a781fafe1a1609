import Mailbox
import Synchronization
import System

/// A node's connection to the servers of its cluster, and what the servers keep for the nodes.
package final class ClusterConnection: Sendable {
    package let log: ClusterLog
    package let state: ClusterState
    let peers: NodePeers
    /// The cluster's time in milliseconds since 1970, less `Boot.milliseconds`.
    package let clockOffset: Int64
    /// What the node's store contained when it was compared last. Nil before that.
    let tableDigests = Lock<TableDigests?>(nil)

    private let connection: NatsConnection
    private let jetStream: JetStream
    private let timer: ClusterTimer
    private let returnCount = Atomic(0)

    /// Connects, and makes the streams that are not there yet. Blocks for some seconds at most.
    package init(_ settings: ClusterSettings) throws(ClusterFault) {
        connection = try ClusterOpening.connect(settings)
        jetStream = JetStream(connection)
        peers = NodePeers(connection, name: settings.name)
        let ticking = Ticking()
        timer = try ClusterTimer { [connection] in
            connection.giveUp(at: Boot.milliseconds)
            ticking.tick()
        }
        do throws(ClusterFault) {
            let opening = ClusterOpening(jetStream, replicas: settings.replicas)
            try opening.makeStreams()
            clockOffset = try opening.clockOffset()
            state = try ClusterState(jetStream, name: settings.name)
            do throws(NatsError) { log = try ClusterLog(jetStream, state) } catch {
                throw ClusterFault(error)
            }
        } catch {
            timer.stop()
            throw error
        }
        ticking.start(log, state)
        connection.follow { [weak self, weak log, weak state] in
            self?.returnCount.add(1, ordering: .relaxed)
            log?.connectionReturned()
            state?.connectionReturned()
        }
    }

    /// Whether the store has all that was in the log a second ago, and the cluster answers. False
    /// until the store follows the log.
    package var isUsable: Bool { connection.isConnected && log.isCurrent }

    /// The connection ended for good: the process has to start again.
    package var isClosed: Bool { connection.isClosed }

    /// Which servers may lose what they acknowledge. Nil if this account may not ask them (see
    /// `ServerSurvey`). Blocks for a second or two at most.
    package func serverReport() -> ServerReport? { ServerSurvey.report(connection) }

    /// The same, without a part in the cluster.
    package static func serverReport(
        _ settings: ClusterSettings
    ) throws(ClusterFault) -> ServerReport? {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        for attempt in 1...Self.attempts {
            if let report = ServerSurvey.report(connection) { return report }
            if attempt < Self.attempts { WorkPause.milliseconds(Self.askPause) }
        }
        return nil
    }

    /// A server that just started may not answer yet. In milliseconds.
    private static let attempts = 3
    private static let askPause: UInt32 = 500

    /// How often the connection was lost and came back.
    var returns: Int { returnCount.load(ordering: .relaxed) }

    /// Puts a copy of the store on the servers, which has every entry up to `number`, instead of
    /// older copies. Blocks, at most while `isWanted`.
    package func putSnapshot(
        fileAt path: String, through number: Int64,
        while isWanted: @escaping () -> Bool = { true }
    ) throws(ClusterFault) {
        var writing = try SnapshotWriting(jetStream, while: isWanted)
        try writing.write(path, through: number)
    }

    /// Gets the newest copy of a store. Returns the last entry that the copy has; nil if there is
    /// none. Blocks.
    package func newestSnapshot(to path: String) throws(ClusterFault) -> Int64? {
        try SnapshotReading(jetStream: jetStream).read(to: path)
    }

    /// The last entry that the newest copy has; nil if there is no copy. Blocks.
    func newestSnapshotNumber() throws(ClusterFault) -> Int64? {
        try SnapshotReading(jetStream: jetStream).newestNumber()
    }

    func logEnding() throws(ClusterFault) -> LogEnding {
        guard let ending = try LogEnding(jetStream) else { throw .noAnswer }
        return ending
    }

    /// Fails if the store in the folder cannot have come from these servers. Call this first: it
    /// makes nothing on them. Blocks.
    package static func checkEntrance(
        _ settings: ClusterSettings, for folder: String
    ) throws {
        guard let place = try StorePlace(in: folder) else { return }
        guard place.applied > 0 || !place.isUsed else { throw StoreFault.foreign }
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let timer = try ClusterTimer { [connection] in connection.giveUp(at: Boot.milliseconds) }
        defer { timer.stop() }
        guard place.applied > 0, try LogEnding(JetStream(connection))?.isVirgin ?? true else {
            return
        }
        throw ClusterFault.wentBack(last: 0, confirmed: place.applied)
    }

    /// Fails if the log lacks an entry that this node or another one has seen in it. Blocks.
    func checkLog(for folder: String) throws {
        let place = try StorePlace(in: folder)
        var marks = [try state.confirmedEntry()]
        // A folder without a store follows the log from its beginning, or from a copy.
        if let place { marks += [place.mark, ConfirmedEntry.read(in: folder)] }
        try LogContinuity(jetStream: jetStream).check(
            logEnding().state, applied: place?.applied ?? 0, marks.compactMap(\.self))
    }

    func hasIdentity() throws(ClusterFault) -> Bool {
        try ClusterState.identity(jetStream) != nil
    }

    /// Removes entries of the log that every store has, or gets with a copy. False if the servers
    /// did not confirm that. Blocks.
    package func trimLog(through number: Int64) -> Bool { log.trim(through: number) }

    /// Gives the lead back, and ends the connection. Call this once.
    package func close() {
        state.stop()
        log.stop()
        peers.stop()
        timer.stop()
        connection.close()
    }
}

/// What the timer calls. Its parts are made after the timer.
private final class Ticking: Sendable {
    private let parts = Lock<(log: ClusterLog, state: ClusterState)?>(nil)

    func start(_ log: ClusterLog, _ state: ClusterState) {
        parts.withLock { $0 = (log, state) }
    }

    func tick() {
        guard let (log, state) = parts.withLock({ $0 }) else { return }
        log.tick()
        state.tick()
    }
}

/// A thread that calls `tick` many times a second, until it is stopped.
final class ClusterTimer: Sendable {
    /// In milliseconds.
    private static let interval: Int64 = 50

    private let thread: WorkThread
    private let end = AwaitedValue<Void>()

    init(_ tick: @escaping @Sendable () -> Void) throws(ClusterFault) {
        do throws(SystemError) {
            thread = try WorkThread(name: "cluster") { [end] in
                while end.wait(atMost: Self.interval) == nil { tick() }
            }
        } catch { throw .thread(code: error.code) }
    }

    /// Once. Not from the thread itself.
    func stop() {
        end.bring(())
        thread.join()
    }
}
