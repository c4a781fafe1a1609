import Mailbox
import System

/// Has all nodes look at what their stores contain after the same entry of the log, and tells this
/// one whether its own is another.
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

    /// What shows that this store is another one than most have.
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
            // A copy that this node has kept as the lead is no better than itself.
            let entry = store.isLead ? max(difference.entry, store.applied + 1) : difference.entry
            // If this fails, it is noticed again after the next start.
            try? WantedCopy.keep(entry, in: folder)
            found.withLock { $0 = difference }
        }
    }

    private func read(_ pinned: PinnedStore) {
        let began = Boot.milliseconds
        // A store that cannot be read says so by itself.
        guard let digests = try? pinned.digests(while: { !isEnding }) else { return }
        cluster.tableDigests.withLock { $0 = TableDigests(entry: pinned.entry, digests: digests) }
        let now = Boot.milliseconds
        schedule.withLock { $0.hasRead(from: began, to: now) }
    }
}

/// When stores are compared, and what comes of it: a value, which asks no clock.
struct ComparisonSchedule {
    enum Verdict: Equatable {
        /// Most others are not like this one.
        case differs(StoreDifference)
        /// As many are as are not, so nobody knows which.
        case disputed(StoreDifference)
    }

    /// Reading takes this part of the time at most.
    private static let share: Int64 = 50
    /// In milliseconds: for the others, to read theirs.
    private static let patience: Int64 = 30_000

    private let interval: Int64
    private var next: Int64 = .min
    private var length: Int64 = 0
    private var readAt: Int64 = 0
    /// The entry of which everything is said.
    private var judged: Int64 = 0

    init(every interval: Int64) { self.interval = interval }

    /// Whether all are to look now.
    mutating func isDue(at now: Int64) -> Bool {
        guard now >= next else { return false }
        next = now + max(interval, Self.share * length)
        return true
    }

    mutating func hasRead(from began: Int64, to now: Int64) {
        (length, readAt) = (now - began, now)
    }

    /// `others`: what the other nodes that live tell; nil for those that tell nothing.
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
