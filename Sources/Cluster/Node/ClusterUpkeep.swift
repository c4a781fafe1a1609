package import Mailbox
import Synchronization
import System

/// What is worth a line in the log.
package enum ClusterEvent: Equatable, Sendable {
    case lost(node: String)
    case snapshot(Int64)
    case snapshotFailed(String)
    /// The cluster does not answer this node.
    case cutOff
    /// The connection to the cluster has ended for good.
    case closed
    /// This node cannot go on without a copy of another one's store.
    case behind
    /// The store of this node is not like the others. It needs a copy of one of them, too.
    case differs(StoreDifference)
    /// As many stores are like the one of this node as are not.
    case disputed(StoreDifference)
    /// The log lacks entries up to this one, which this node has, or has others in their place.
    case wentBack(Int64)
    /// The other nodes are always faster, so that this node cannot write.
    case late
    /// Some servers may lose what they confirm, or none may any more.
    case servers(ServerReport)
    /// Other nodes write in a schema that this program does not know.
    case newerLog(Int)
    /// The cluster seals under a master key that this node does not have.
    case keyMissing(UInt64)
    /// This node seals under another master key from now on.
    case keyUsed(UInt64)
    /// Everything was sealed again under this key, except for rows that could not be unsealed.
    case resealed(UInt64, unopened: Int)
}

extension ClusterEvent {
    /// Whether the process ends with this event, so that its manager starts it again.
    package var endsNode: Bool {
        switch self {
        case .behind, .differs, .wentBack, .newerLog, .keyMissing, .closed: true
        default: false
        }
    }
}

/// What a node does for the others as long as it leads: it removes the clients of nodes that have
/// ended, and puts copies of the store on the servers, so that the log can be shortened.
package final class ClusterUpkeep: Sendable {
    package typealias Report = @Sendable (ClusterEvent) -> Void

    /// In milliseconds.
    private static let interval: Int64 = 1_000
    /// Heartbeats of all nodes have come after this time.
    private static let silence: Int64 = 20_000
    /// A node that is cut off for so long sends its clients to other nodes.
    private static let cutOff: Int64 = 1_500

    private let cluster: ClusterConnection
    private let store: SQLiteStore
    private let folder: String
    private let report: Report
    private let end = AwaitedValue<Void>()
    /// Since when this node has heard the others without a break.
    private let hears = Atomic(Boot.milliseconds)
    private let thread = Lock<WorkThread?>(nil)
    private let lookout = Lock<ClusterTimer?>(nil)
    private let isAtEnd = Atomic(false)
    private let isCutOff = Atomic(false)
    /// When the store was current last.
    private let wasCurrent = Atomic(Boot.milliseconds)
    private let snapshots = Lock(SnapshotSchedule())
    private let confirmed = Lock(ConfirmedSchedule())
    private let isLate = Atomic(false)
    private let survey = Lock(SurveySchedule())
    private let comparison: TableComparison
    package let rotation: KeyRotation

    package convenience init(
        _ cluster: ClusterConnection, _ store: SQLiteStore, in folder: String,
        _ report: @escaping Report
    ) {
        self.init(
            cluster, store, in: folder, comparingEvery: TableComparison.interval, report)
    }

    /// In milliseconds.
    init(
        _ cluster: ClusterConnection, _ store: SQLiteStore, in folder: String,
        comparingEvery interval: Int64, _ report: @escaping Report
    ) {
        (self.cluster, self.store, self.folder, self.report) = (cluster, store, folder, report)
        rotation = KeyRotation(cluster, store)
        comparison = TableComparison(cluster, store, in: folder, every: interval, report)
    }

    package func start() throws {
        let thread = try WorkThread(name: "cluster-upkeep") { [self] in
            while end.wait(atMost: Self.interval) == nil { work() }
        }
        self.thread.withLock { $0 = thread }
        let lookout = try ClusterTimer { [self] in look(at: Boot.milliseconds) }
        self.lookout.withLock { $0 = lookout }
        try comparison.start()
    }

    /// Once, before the store is closed.
    package func stop() {
        comparison.stop()
        lookout.withLock { $0 }?.stop()
        end.bring(())
        thread.withLock { $0 }?.join()
    }

    private func work() {
        guard !isAtEnd.load(ordering: .relaxed) else { return }
        if let last = lastEvent { return end(with: last) }
        guard store.isCurrent else { return }
        noteLateness()
        keepConfirmed()
        askServers()
        if let event = rotation.work({ keepSnapshot(always: true) }) {
            if case .keyMissing = event { return end(with: event) }
            report(event)
        }
        guard store.isLead else { return }
        removeLostNodes()
        keepSnapshot(always: isCopyWanted)
    }

    /// Has a thread of its own, because `work` blocks when the cluster does not answer.
    private func look(at now: Int64) {
        guard !store.isCurrent else {
            wasCurrent.store(now, ordering: .relaxed)
            return isCutOff.store(false, ordering: .relaxed)
        }
        hears.store(now, ordering: .relaxed)
        let isLost = now - wasCurrent.load(ordering: .relaxed) >= Self.cutOff
        guard isLost, !isAtEnd.load(ordering: .relaxed),
            !isCutOff.exchange(true, ordering: .relaxed)
        else { return }
        report(.cutOff)
        store.sendClientsAway()
    }

    /// Reports once that this node does not get to write.
    private func noteLateness() {
        let isLate = store.isShutOut
        guard self.isLate.exchange(isLate, ordering: .relaxed) != isLate, isLate else { return }
        report(.late)
    }

    /// Keeps the last entry, so that a log that comes back with less is recognised.
    private func keepConfirmed() {
        let now = Boot.milliseconds
        guard let last = store.lastEntry, confirmed.withLock({ $0.isDue(last, at: now) }) else {
            return
        }
        do {
            try ConfirmedEntry.keep(last, in: folder)
            if store.isLead { try cluster.state.confirm(last) }
            confirmed.withLock { $0.kept(last) }
        } catch {
            // The store itself knows its last entry, and the next attempt comes soon.
        }
    }

    /// Whether a node that differs waits for a copy with the entry at which that was seen.
    private var isCopyWanted: Bool {
        let wanted = cluster.state.nodeReports.values.compactMap { $0?.wantedCopy }.max()
        return wanted.map { wanted in
            store.applied >= wanted && snapshots.withLock { $0.lacks(wanted) }
        } ?? false
    }

    /// The servers may have another configuration or version by now.
    private func askServers() {
        let now = Boot.milliseconds
        guard survey.withLock({ $0.isDue(cluster.returns, at: now) }),
            let servers = cluster.serverReport()
        else { return }
        store.note(unsafeServers: servers.doubtful)
        if survey.withLock({ $0.isNews(servers) }) { report(.servers(servers)) }
    }

    /// Why this node cannot go on.
    private var lastEvent: ClusterEvent? {
        if cluster.isClosed { return .closed }
        if cluster.log.hasGoneBack { return .wentBack(store.applied) }
        if let difference = store.difference ?? comparison.difference {
            return .differs(difference)
        }
        if cluster.log.isTooFarBehind { return .behind }
        return store.newerLog.map { .newerLog($0) }
    }

    private func end(with event: ClusterEvent) {
        isAtEnd.store(true, ordering: .relaxed)
        report(event)
    }

    /// Work that takes long has to stop.
    private var isEnding: Bool { end.wait(atMost: 0) != nil }

    private func removeLostNodes() {
        guard Boot.milliseconds - hears.load(ordering: .relaxed) > Self.silence else { return }
        let living = cluster.state.livingNodes
        for node in store.index.engines.nodes where !living.contains(node) {
            let engines = store.index.engines.engines(fetchedAt: node)
            let outcome = AwaitedValue<StoreOutcome>()
            store.submit(.engine(.lost(node: node)), ticket: 0, to: OutcomeSink(outcome))
            guard outcome.wait(atMost: 10_000) == .done else { continue }
            report(.lost(node: node))
            // Viewers get what the fetchers of that node have not taken.
            for engine in engines {
                let id = EngineClientID(engine: engine, number: 0)
                store.submit(
                    .engine(.leave(id, isFetching: false)), ticket: 0,
                    to: OutcomeSink(AwaitedValue()))
            }
        }
    }

    /// False if no copy is due, or it failed.
    @discardableResult
    private func keepSnapshot(always: Bool) -> Bool {
        let applied = store.applied
        let now = Boot.milliseconds
        guard snapshots.withLock({ $0.isDue(applied, always: always, at: now) }) else {
            return false
        }
        do {
            let copy = try StoreCopy(of: folder) { !isEnding }
            try cluster.putSnapshot(fileAt: copy.path, through: copy.number) { [self] in !isEnding }
            // Entries since the copy before stay in the log, for nodes that are a little behind.
            let former = snapshots.withLock { $0.kept(copy.number, at: now) }
            if let former { _ = cluster.trimLog(through: former) }
            report(.snapshot(copy.number))
            return true
        } catch {
            guard !isEnding else { return false }
            snapshots.withLock { $0.failed(at: now) }
            report(.snapshotFailed("\(error)"))
            return false
        }
    }
}

/// Waits for one outcome.
private final class OutcomeSink: StoreSink {
    private let outcome: AwaitedValue<StoreOutcome>

    init(_ outcome: AwaitedValue<StoreOutcome>) { self.outcome = outcome }

    func completed(_ completions: [CompletedOperation]) {
        for completion in completions { outcome.bring(completion.outcome) }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
}
