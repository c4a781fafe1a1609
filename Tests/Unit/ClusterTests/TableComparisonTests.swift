import Mailbox
import Testing

@testable import Cluster

@Suite("Whether the tables of nodes are alike")
struct TableComparisonTests {
    private var schedule = ComparisonSchedule(every: 60_000)

    /// Of as many tables as there are; the first is the registrations'.
    private func tables(_ first: String, at entry: Int64 = 7) -> TableDigests {
        let others = Array(repeating: "0", count: PinnedStore.tables.count - 1)
        return TableDigests(entry: entry, digests: [first] + others)
    }

    private func report(_ tables: TableDigests?) -> NodeReport? {
        var report = NodeReport(schema: 15)
        report.tables = tables
        return report
    }

    private let difference = StoreDifference(table: "registration", entry: 7)

    @Test("Who is unlike most of the others says so, once")
    mutating func differs() {
        let others = [report(tables("a")), report(tables("a"))]
        let first = schedule.judge(tables("b"), others, at: 0)
        #expect(first == .differs(difference))
        let again = schedule.judge(tables("b"), others, at: 0)
        #expect(again == nil)
        let most = schedule.judge(
            tables("a", at: 8), [report(tables("b", at: 8)), report(tables("a", at: 8))], at: 0)
        #expect(most == nil)
    }

    @Test("Of two that are unlike, nobody knows which is right")
    mutating func disputed() {
        let verdict = schedule.judge(tables("b"), [report(tables("a"))], at: 0)
        #expect(verdict == .disputed(difference))
        let alike = schedule.judge(tables("a", at: 8), [report(tables("a", at: 8))], at: 0)
        #expect(alike == nil)
    }

    @Test("It waits for those that have not read theirs, but not for long")
    mutating func waiting() {
        schedule.hasRead(from: 0, to: 1_000)
        let others = [report(tables("a")), report(tables("a", at: 6)), report(nil), nil]
        let early = schedule.judge(tables("b"), others, at: 30_999)
        #expect(early == nil)
        let late = schedule.judge(tables("b"), others, at: 31_000)
        #expect(late == .disputed(difference))
    }

    @Test("Reading a large store again takes a fiftieth of the time at most")
    mutating func interval() {
        let first = [0, 59_999, 60_000].map { schedule.isDue(at: $0) }
        #expect(first == [true, false, true])
        schedule.hasRead(from: 0, to: 4_000)
        _ = schedule.isDue(at: 120_000)
        let next = [319_999, 320_000].map { schedule.isDue(at: $0) }
        #expect(next == [false, true])
    }
}
