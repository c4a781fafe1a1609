import Mailbox
import Testing

@testable import Cluster

@Suite("What nodes tell with their heartbeats")
struct NodeReportTests {
    @Test("A node lives for some seconds after its last heartbeat, or until it takes leave")
    func living() {
        var nodes = LivingNodes(own: "a")
        nodes.hear("a", at: 0)
        nodes.hear("b", at: 0)
        nodes.hear("c", at: 5_000)
        #expect(nodes.living(at: 14_999) == ["a", "b", "c"])
        #expect(nodes.living(at: 15_000) == ["c"])
        nodes.leave("c")
        #expect(nodes.living(at: 14_999) == ["a", "b"])
        nodes.hear("a", at: 15_000)
        #expect(nodes.takeGone() == ["b"])
    }

    @Test("What a node tells of itself comes with its heartbeats, and stays while it is cut off")
    func reports() {
        var nodes = LivingNodes(own: "a")
        let report = NodeReport(schema: 14, keys: [7, .max], sealingKey: 7)
        nodes.hear("b", report, at: 0)
        nodes.hear("old", at: 0)
        #expect(nodes.reports(at: 100) == ["b": report, "old": nil])
        nodes.returned(at: 20_000)
        #expect(nodes.reports(at: 20_100) == ["b": report, "old": nil])
        #expect(nodes.reports(at: 40_000).isEmpty)
    }

    @Test("It is read as it was written, and what nodes of other versions write is nothing")
    func body() {
        for report in [
            NodeReport(schema: 14), NodeReport(schema: 15, keys: [0, 1, .max], sealingKey: .max),
            NodeReport(schema: 15, wantedCopy: 7),
        ] { #expect(NodeReport(report.body) == report) }
        var compared = NodeReport(schema: 15)
        compared.tables = TableDigests(entry: 9, digests: ["0", "ff"])
        #expect(NodeReport(compared.body) == compared)
        let body = NodeReport(schema: 15, keys: [1], sealingKey: 1).body
        for end in body.indices { #expect(NodeReport(Array(body[..<end])) == nil) }
        #expect(NodeReport(Array("gone".utf8)) == nil)
    }

    @Test("A change of the key is under way until its end was written down")
    func resealing() {
        for unopened in [nil, 0, 9] {
            let one = ResealingMark(key: .max, unopened: unopened)
            #expect(ResealingMark(one.body) == one)
        }
        #expect(ResealingMark([]) == nil && ResealingMark([1, 2, 3]) == nil)
        var state = SealingState(key: 5)
        #expect(!state.isResealing && state.unopened == nil)
        state.resealing = ResealingMark(key: 5)
        #expect(state.isResealing && state.unopened == nil)
        state.resealing?.unopened = 2
        #expect(!state.isResealing && state.unopened == 2)
        // One that was never begun.
        state.resealing = ResealingMark(key: 6)
        #expect(!state.isResealing && state.unopened == nil)
    }

    @Test("Snapshots without a manifest are leftovers")
    func leftovers() {
        let subjects = [
            "bw.snapshot.a.0", "bw.snapshot.a.1", "bw.snapshot.a.manifest", "bw.snapshot.b.0",
            "bw.snapshot.c.manifest", "bw.snapshot.d.7", "bw.snapshot.d.8", "other",
        ]
        #expect(SnapshotManifest.incomplete(subjects) == ["b", "d"])
        #expect(SnapshotManifest.incomplete([]).isEmpty)
    }

    @Test("A copy that was asked for comes at once, and after a failure a minute later")
    func schedule() {
        var schedule = SnapshotSchedule()
        #expect(!schedule.isDue(19_999, at: 0) && schedule.isDue(20_000, at: 0))
        #expect(schedule.isDue(0, always: true, at: 0))
        #expect(schedule.kept(100, at: 0) == nil)
        #expect(schedule.isDue(100, always: true, at: 1))
        #expect(!schedule.isDue(50_000, at: 1) && schedule.isDue(50_000, at: 900_000))
        schedule.failed(at: 900_000)
        #expect(!schedule.isDue(50_000, always: true, at: 959_999))
        #expect(schedule.isDue(50_000, at: 960_000))
    }
}
