import Mailbox
import System

/// Compares the stores of all nodes as they are after the same entry of the log, and says whether
/// the store of this node is another one than the rest.
final class TableComparison: Sendable {
    /// In milliseconds.
    static let interval: Int64 = 60_000
    private static let look: Int64 = 500

    private let cluster: ClusterConnection
    private let store: SQLiteStore
    private let folder: String
    private let schedule: Lock<ComparisonSchedule>
    private let report: ClusterUpkeep.Report
    private let end = AwaitedValue<Void>()
    private let thread = Lock<WorkThread?>(nil)
    private let found = Lock<StoreDifference?>(nil)

    init(
        _ cluster: ClusterConnection, _ store: SQLiteStore, in folder: String,
        every interval: Int64,
        _ report: @escaping ClusterUpkeep.Report
    ) {
        (self.cluster, self.store, self.folder, self.report) = (cluster, store, folder, report)
        schedule = Lock(ComparisonSchedule(every: interval))
    }

    /// The table by which this store differs from most; nil while no difference is known.
    var difference: StoreDifference? { found.withLock { $0 } }

    func start() throws {
        store.beginComparing()
        let thread = try WorkThread(name: "cluster-compare") { [self] in
            while end.wait(atMost: Self.look) == nil { work() }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Once, before the store is closed.
    func stop() {
        end.bring(())
        thread.withLock { $0 }?.join()
    }

    private var isEnding: Bool { end.wait(atMost: 0) != nil }

    private func work() {
        guard store.isCurrent, difference == nil else {
            _ = store.takePinned()
            return
        }
        let now = Boot.milliseconds
        if store.isLead, schedule.withLock({ $0.isDue(at: now) }) { store.askForComparison() }
        if let pinned = store.takePinned() { read(pinned) }
        guard let own = cluster.tableDigests.withLock({ $0 }) else { return }
        let verdict = schedule.withLock { schedule in
            schedule.judge(own, cluster.state.otherReports, at: Boot.milliseconds)
        }
        switch verdict {
        case nil: break
        case .disputed(let difference)?: report(.disputed(difference))
        case .differs(let difference)?:
            // A copy that this node has made as the leading one is no better than its store.
            let entry = store.isLead ? max(difference.entry, store.applied + 1) : difference.entry
            // If this fails, the difference is noticed again after the next start.
            try? WantedCopy.keep(entry, in: folder)
            found.withLock { $0 = difference }
        }
    }

    private func read(_ pinned: PinnedStore) {
        let began = Boot.milliseconds
        // A store that cannot be read reports that itself.
        guard let digests = try? pinned.digests(while: { !isEnding }) else { return }
        cluster.tableDigests.withLock { $0 = TableDigests(entry: pinned.entry, digests: digests) }
        let now = Boot.milliseconds
        schedule.withLock { $0.hasRead(from: began, to: now) }
    }
}

/// When stores are compared, and what their digests mean: a value, which asks no clock.
struct ComparisonSchedule {
    enum Verdict: Equatable {
        /// Most other stores are not like this one.
        case differs(StoreDifference)
        /// As many stores are like this one as are not, so it is unknown which of them are right.
        case disputed(StoreDifference)
    }

    /// Reading takes this part of the time at most.
    private static let share: Int64 = 50
    /// How long the other nodes may take to read their stores, in milliseconds.
    private static let patience: Int64 = 30_000

    private let interval: Int64
    private var next: Int64 = .min
    private var length: Int64 = 0
    private var readAt: Int64 = 0
    /// The last entry at which the stores were compared.
    private var judged: Int64 = 0

    init(every interval: Int64) { self.interval = interval }

    /// Whether all nodes are to read their stores now.
    mutating func isDue(at now: Int64) -> Bool {
        guard now >= next else { return false }
        next = now + max(interval, Self.share * length)
        return true
    }

    mutating func hasRead(from began: Int64, to now: Int64) {
        (length, readAt) = (now - began, now)
    }

    /// `others`: the reports of the other living nodes; nil for a node that reports nothing.
    mutating func judge(
        _ own: TableDigests, _ others: [NodeReport?], at now: Int64
    ) -> Verdict? {
        guard own.entry > judged else { return nil }
        let tables = others.map { $0?.tables }.filter { $0?.entry == own.entry }
        guard tables.count == others.count || now - readAt >= Self.patience else { return nil }
        judged = own.entry
        let votes = Dictionary(grouping: tables.compactMap(\.self), by: \.digests)
        let likeOwn = 1 + (votes[own.digests]?.count ?? 0)
        let unlike = votes.filter { $0.key != own.digests }.max { $0.value.count < $1.value.count }
        guard let unlike, unlike.value.count >= likeOwn,
            let difference = unlike.value.first.flatMap({ own.difference(from: $0) })
        else { return nil }
        return unlike.value.count > likeOwn ? .differs(difference) : .disputed(difference)
    }
}
