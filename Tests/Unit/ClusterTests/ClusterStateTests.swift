import Foundation
import Mailbox
import System
import TestSupport
import Testing

@testable import Cluster

extension ClusterTests {
    @Test("All nodes read the identity that the first one made, and no number is given twice")
    func agreement() async throws {
        let nodes = try [node("a", .record), node("b", .record)]
        defer { for node in nodes { node.close() } }
        let identities = try await each(nodes) { index, node in
            [
                try node.state.identity { () throws(ClusterFault) in
                    ClusterState.Identity(key: [UInt8(index), 2], origin: Int64(index))
                }
            ]
        }
        #expect(identities[0] == identities[1])
        let numbers = try await each(nodes + nodes) { _, node in
            try (0..<20).map { _ in try node.state.takeNumbers() }
        }
        #expect(Set(numbers) == Set(1...80))
        #expect(await eventually(4) { nodes[0].state.livingNodes == ["a", "b"] })
        let time = Int64(WallClock.now * 1_000)
        #expect(abs(Boot.milliseconds + nodes[0].clockOffset - time) < 50)
    }

    @Test("One node leads; another does when the lease was given back, or ended")
    func lease() async throws {
        let (first, second) = (try node("a", .lease), try node("b", .lease))
        // Whoever has no store yet does not lead.
        #expect(!(await eventually(3) { first.state.isLead || second.state.isLead }))
        for node in [first, second] { node.state.standForLead() }
        #expect(await eventually(5) { first.state.isLead != second.state.isLead })
        let (lead, other) = first.state.isLead ? (first, second) : (second, first)
        #expect(!(await eventually(6) { other.state.isLead || !lead.state.isLead }))
        lead.close()
        #expect(!lead.state.isLead)
        #expect(await eventually(4) { other.state.isLead })
        other.close()
        // A node that is gone leaves its lease behind.
        let connection = try NatsConnection(servers.settings("gone", user: "lease"))
        let jetStream = JetStream(connection)
        let left = await eventually(2) {
            let answer = jetStream.publish(
                "bw.cluster.lead",
                [("Nats-TTL", "4s"), ("Nats-Expected-Last-Subject-Sequence", "0")], [1])
            if case .stored = answer { return true }
            return false
        }
        #expect(left)
        let third = try node("c", .lease)
        third.state.standForLead()
        #expect(!(await eventually(2) { third.state.isLead }))
        #expect(await eventually(8) { third.state.isLead })
        third.close()
        connection.close()
    }

    @Test("A snapshot comes back as it was, and leads on where the log was trimmed")
    func snapshot() async throws {
        let (first, second) = (try node("a", .snapshot), try node("b", .snapshot))
        let folder = try TemporaryFolder()
        try await onThread {
            let (source, copy) = (folder.file("source"), folder.file("copy"))
            #expect(try second.newestSnapshot(to: copy) == nil)
            let writer = LogWriter(first.log)
            for name in UInt64(1)...5 { #expect(writer.write(LogWriter.entry(name))) }
            for (number, length) in [(3, 100), (4, 3_000_000), (4, 0), (5, 1 << 20)] {
                let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
                try data.write(to: URL(filePath: source))
                try first.putSnapshot(fileAt: source, through: Int64(number))
                // A server that has not heard of it yet gives the one before.
                let isSame = becomes(within: 5) {
                    (try? second.newestSnapshot(to: copy)) == Int64(number)
                        && (try? Data(contentsOf: URL(filePath: copy))) == data
                }
                #expect(isSame)
            }
            #expect(first.trimLog(through: 4))
            // A server that has not heard of it yet would still give what is gone.
            usleep(500_000)
            let late = second.log
            #expect(late.entries(after: 0).isEmpty)
            #expect(becomes(within: 3) { late.isTooFarBehind && !second.isUsable })
            #expect(late.entries(after: 4).isEmpty)
            #expect(becomes(within: 3) { late.entries(after: 4).map(\.number) == [5] })
            #expect(!late.isTooFarBehind && !second.isUsable)
            #expect(late.entries(after: 5).isEmpty)
            #expect(becomes(within: 3) { second.isUsable })
        }
        first.close()
        second.close()
    }

    @Test("A snapshot that failed leaves nothing, and neither does one that nobody removed")
    func leftovers() async throws {
        let first = try node("a", .leftovers)
        let folder = try TemporaryFolder()
        try await onThread { [servers] in
            let connection = try NatsConnection(servers.settings("b", user: "leftovers"))
            defer { connection.close() }
            let jetStream = JetStream(connection)
            func subjects() -> Int {
                guard
                    case .done(let about) = jetStream.describe(
                        SnapshotManifest.stream, subjects: SnapshotManifest.everything)
                else { return -1 }
                return about.root["state"]?["subjects"]?.members.count ?? 0
            }
            let path = folder.file("source")
            try Data(repeating: 7, count: 3 << 20).write(to: URL(filePath: path))
            var asked = 0
            #expect(throws: ClusterFault.stopped) {
                try first.putSnapshot(fileAt: path, through: 1) {
                    asked += 1
                    return asked < 4
                }
            }
            #expect(asked == 4 && subjects() == 0)
            // A node was killed while it wrote one.
            let left = jetStream.publish(SnapshotManifest.subject("killed", piece: 0), [], [1])
            #expect(left == .stored(sequence: 4))
            #expect(subjects() == 1)
            try first.putSnapshot(fileAt: path, through: 2)
            // Six pieces and the manifest.
            #expect(subjects() == 7)
            #expect(throws: ClusterFault.stopped) {
                asked = 0
                try first.putSnapshot(fileAt: path, through: 3) {
                    asked += 1
                    return asked < 2
                }
            }
            #expect(subjects() == 7)
            #expect(try first.newestSnapshot(to: folder.file("copy")) == 2)
        }
        first.close()
    }

    @Test("A node of a newer schema begins when the last older one has ended, and not before")
    func schema() async throws {
        let (older, newer) = (try node("a", .schema), try node("b", .schema))
        let (known, next) = (CommitEntry.firstSchema, CommitEntry.firstSchema + 1)
        older.state.tell { NodeReport(schema: known) }
        newer.state.tell { NodeReport(schema: next) }
        try await onThread {
            try SchemaAgreement(state: older.state, known: known).reach()
            #expect(throws: ClusterFault.olderNodes(["a"])) {
                try SchemaAgreement(state: newer.state, known: next).reach()
            }
            try SchemaAgreement(state: older.state, known: known).reach()
            older.close()
            let began = Date()
            try SchemaAgreement(state: newer.state, known: next).reach()
            // It took leave, so nobody waits until it counts as gone.
            #expect(Date().timeIntervalSince(began) < 10)
            try SchemaAgreement(state: newer.state, known: next).reach()
        }
        let late = try node("c", .schema)
        try await onThread {
            _ = #expect(throws: ClusterFault.olderProgram(found: next, known: known)) {
                try SchemaAgreement(state: late.state, known: known).reach()
            }
        }
        late.close()
        newer.close()
    }

    @Test("All nodes read under which key the cluster seals, and until when that is under way")
    func keys() async throws {
        let (first, second) = (try node("a", .keys), try node("b", .keys))
        @Sendable func identity(_ key: UInt8) -> ClusterState.Identity {
            ClusterState.Identity(key: [1] + [UInt8](repeating: key, count: 60), origin: 7)
        }
        let (former, key) = (0x0101_0101_0101_0101 as UInt64, 0x0202_0202_0202_0202 as UInt64)
        let states = [first.state, second.state]
        try await onThread {
            _ = try first.state.identity { () throws(ClusterFault) in identity(1) }
            for state in states {
                #expect(becomes(within: 6) { state.sealingState == SealingState(key: former) })
            }
            try second.state.rotate(to: key) { (found) throws(ClusterFault) in
                #expect(found == identity(1))
                return identity(2)
            }
            #expect(second.state.sealingState?.isResealing == true)
            // A second attempt, as after an answer that was lost, changes nothing.
            try second.state.rotate(to: key) { (_) throws(ClusterFault) in identity(3) }
            #expect(becomes(within: 6) { first.state.sealingState?.isResealing == true })
            #expect(first.state.sealingState?.key == key)
            try first.state.endResealing(former, unopened: 9)
            try first.state.endResealing(key, unopened: 0)
            for state in states {
                #expect(becomes(within: 6) { state.sealingState?.isResealing == false })
                #expect(state.sealingState?.unopened == 0 && state.sealingState?.key == key)
            }
        }
        first.close()
        second.close()
    }

    @Test("Whether the servers sync is seen by an account that may ask")
    func survey() async throws {
        let (asking, other) = (try node("a", .survey), try node("b", .lease))
        let reports = try await onThread { [asking.serverReport(), other.serverReport()] }
        #expect(reports[0]?.servers.map(\.name) == ["n0", "n1", "n2"])
        // Tests go by servers that are good enough.
        #expect(reports[0]?.doubtful == 0 && reports[1] == nil)
        asking.close()
        other.close()
    }

    @Test("Faults say what to do, and no secret")
    func faults() throws {
        var settings = servers.settings("a", user: "nobody:secret")
        settings.servers = ["nats://nobody:secret@\(servers.address(0, user: "x").suffix(15))"]
        #expect(throws: ClusterFault.refused) { _ = try ClusterConnection(settings) }
        settings.servers = ["nats://nobody:secret@127.0.0.1:1"]
        let fault = #expect(throws: ClusterFault.self) { _ = try ClusterConnection(settings) }
        #expect(fault?.description.contains("secret") == false && fault?.hint != nil)
        settings.credentials = "/nowhere"
        #expect(throws: ClusterFault.unreadable(path: "/nowhere")) {
            _ = try ClusterConnection(settings)
        }
    }

    private func node(_ name: String, _ user: ClusterUser) throws -> ClusterConnection {
        try ClusterConnection(servers.settings(name, user: user.rawValue))
    }

    private func eventually(
        _ seconds: Double, _ condition: @escaping @Sendable () -> Bool
    ) async -> Bool {
        (try? await onThread { becomes(within: seconds, condition) }) ?? false
    }

    /// Runs it for all of them at the same time.
    private func each<Result: Sendable>(
        _ nodes: [ClusterConnection],
        _ body: @escaping @Sendable (Int, ClusterConnection) throws -> [Result]
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: [Result].self) { group in
            for (index, node) in nodes.enumerated() {
                group.addTask { try await onThread { try body(index, node) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
