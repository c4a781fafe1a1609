package import Mailbox
import Reactor
import Synchronization
import System

/// What a node does for the others as long as it leads: it writes down which nodes have ended, and
/// keeps copies of the store so that the log can be shortened.
package final class ClusterUpkeep: Sendable {
    package typealias Report = @Sendable (ClusterEvent) -> Void

    /// In milliseconds.
    private static let interval: Int64 = 1_000
    /// Signs of life of all nodes have come after this time.
    private static let silence: Int64 = 20_000

    private let cluster: Membership
    private let store: SQLiteStore
    private let folder: String
    private let report: Report
    private let end = Awaited<Void>()
    /// Since then this node can have heard the others.
    private let hears = Atomic(Boot.milliseconds)
    private let thread = Lock<WorkThread?>(nil)
    private let isAtEnd = Atomic(false)
    /// For so many looks this node has been cut off.
    private let cutOff = Atomic(0)
    private let snapshots = Lock(SnapshotSchedule())
    package let rotation: KeyRotation

    package init(
        _ cluster: Membership, _ store: SQLiteStore, in folder: String, _ report: @escaping Report
    ) {
        self.cluster = cluster
        self.store = store
        self.folder = folder
        self.report = report
        rotation = KeyRotation(cluster, store)
    }

    package func start() throws {
        let thread = try WorkThread(name: "cluster-upkeep") { [self] in
            while end.wait(atMost: Self.interval) == nil { work() }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Once, before the store is closed.
    package func stop() {
        end.bring(())
        thread.withLock { $0 }?.join()
    }

    private func work() {
        guard !isAtEnd.load(ordering: .relaxed) else { return }
        if let last = lastEvent { return end(with: last) }
        guard store.isCurrent else {
            hears.store(Boot.milliseconds, ordering: .relaxed)
            // Once, as soon as it lasts.
            if cutOff.add(1, ordering: .relaxed).newValue == 2 {
                report(.cutOff)
                store.sendClientsAway()
            }
            return
        }
        cutOff.store(0, ordering: .relaxed)
        if let event = rotation.work({ keepSnapshot(always: true) }) {
            if case .keyMissing = event { return end(with: event) }
            report(event)
        }
        guard store.isLead else { return }
        removeLostNodes()
        keepSnapshot(always: false)
    }

    /// Why this node cannot go on.
    private var lastEvent: ClusterEvent? {
        if cluster.isClosed { return .closed }
        if cluster.log.isTooFarBehind { return .behind }
        return store.newerLog.map { .newerLog($0) }
    }

    private func end(with event: ClusterEvent) {
        isAtEnd.store(true, ordering: .relaxed)
        report(event)
    }

    /// Nothing that takes long may go on.
    private var isEnding: Bool { end.wait(atMost: 0) != nil }

    private func removeLostNodes() {
        guard Boot.milliseconds - hears.load(ordering: .relaxed) > Self.silence else { return }
        let living = cluster.record.livingNodes
        for node in store.index.engines.nodes where !living.contains(node) {
            let engines = store.index.engines.engines(fetchedAt: node)
            let outcome = Awaited<StoreOutcome>()
            store.submit(.engine(.lost(node: node)), ticket: 0, to: OutcomeSink(outcome))
            guard outcome.wait(atMost: 10_000) == .done else { continue }
            report(.lost(node: node))
            // What its fetchers have not taken is for viewers.
            for engine in engines {
                let id = EngineClientID(engine: engine, number: 0)
                store.submit(
                    .engine(.leave(id, isFetching: false)), ticket: 0, to: OutcomeSink(Awaited()))
            }
        }
    }

    /// False if it is not due, or failed.
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
            // Nodes that are a little behind go on by the log.
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
    /// Others write in a schema that this program does not know.
    case newerLog(Int)
    /// The cluster seals under a master key that this node does not have.
    case keyMissing(UInt64)
    /// This node seals under another master key from now on.
    case keyUsed(UInt64)
    /// Everything was sealed under it again, except for rows that could not be unsealed.
    case resealed(UInt64, unopened: Int)
}

/// When a copy of the store is due.
struct SnapshotSchedule {
    /// The log may be so much longer than what follows the last copy.
    static let entries: Int64 = 20_000
    /// In milliseconds.
    static let interval: Int64 = 900_000

    private var last: Int64?
    private var next: Int64 = 0
    private var retryAt: Int64 = 0

    /// `always`: whatever the log has, and however new the last copy is.
    func isDue(_ applied: Int64, always: Bool = false, at now: Int64) -> Bool {
        guard now >= retryAt else { return false }
        return always || now >= next && applied - (last ?? 0) >= Self.entries
    }

    /// Returns the number of the copy before.
    mutating func kept(_ number: Int64, at now: Int64) -> Int64? {
        defer { (last, next) = (number, now + Self.interval) }
        return last
    }

    mutating func failed(at now: Int64) { retryAt = now + Self.interval / 15 }
}

/// Waits for one outcome.
private final class OutcomeSink: StoreSink {
    private let outcome: Awaited<StoreOutcome>

    init(_ outcome: Awaited<StoreOutcome>) { self.outcome = outcome }

    func completed(_ completions: [Completion]) {
        for completion in completions { outcome.bring(completion.outcome) }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
}
