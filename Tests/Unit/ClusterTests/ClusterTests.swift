import Foundation
import Mailbox
import TestSupport
import Testing

@testable import Cluster

@Suite(
    "With real servers", .serialized,
    .enabled(
        if: NatsServers.program != nil,
        "nats-server is not installed: put it into PATH, or name it in BELLWIRE_NATS_SERVER"),
    WithServers())
struct ClusterTests {
    let servers: NatsServers

    init() throws { servers = try #require(NatsServers.current) }

    private func cluster(_ name: String, _ user: ClusterUser) throws -> ClusterConnection {
        try ClusterConnection(servers.settings(name, user: user.rawValue))
    }

    /// Connected to this server only, as long as it runs.
    private func cluster(_ name: String, _ user: ClusterUser, on server: Int) throws
        -> ClusterConnection
    {
        try ClusterConnection(
            ClusterSettings(servers: [servers.address(server, user: user.rawValue)], name: name))
    }

    /// The server that leads the log.
    private func leader(_ user: ClusterUser) throws -> Int {
        let settings = servers.settings("test", user: user.rawValue)
        let connection = try NatsConnection(settings)
        defer { connection.close() }
        guard case .done(let document) = JetStream(connection).describe(LogFeed.stream),
            let name = document.root["cluster"]?["leader"]?.text
        else { throw ClusterFault.noAnswer }
        return try #require(Int(name.dropFirst()))
    }

    /// Two writers write at the same time; `disturb` runs when each has written a quarter.
    private func contend(
        _ user: ClusterUser, _ count: Int, disturb: @escaping @Sendable () throws -> Void
    ) async throws {
        let clusters = try [cluster("a", user), cluster("b", user)]
        defer { for cluster in clusters { cluster.close() } }
        let orders = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for (index, cluster) in clusters.enumerated() {
                group.addTask {
                    try await onThread {
                        let writer = LogWriter(cluster.log)
                        for number in 1...count {
                            if index == 0, number == count / 4 { try disturb() }
                            let name = UInt64(index * 1_000_000 + number)
                            #expect(writer.write(LogWriter.entry(name)))
                        }
                        #expect(writer.wait(for: 2 * count))
                        return writer.names
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(orders[0] == orders[1])
        #expect(Set(orders[0]).count == 2 * count && orders[0].count == 2 * count)
    }

    @Test("Two writers at the same time see the same order")
    func contention() async throws { try await contend(.contention, 200) {} }

    @Test("When the log's leader is killed, nothing is lost and nothing is there twice")
    func crash() async throws {
        _ = try cluster("first", .crash).close()
        let server = try leader(.crash)
        try await contend(.crash, 60) { [servers] in servers.kill(server) }
        try servers.start(server)
    }

    @Test("A node leaves a server that hangs, and doubles nothing")
    func hanging() async throws {
        let (node, other) = (try cluster("a", .hanging, on: 0), try cluster("b", .hanging, on: 1))
        try await onThread { [servers] in
            let (writer, reader) = (LogWriter(node.log), LogWriter(other.log))
            #expect(writer.write(LogWriter.entry(1)))
            #expect(becomes(within: 5) { node.isUsable })
            servers.signal(SIGSTOP, to: 0)
            let asked = Date()
            #expect(becomes(within: 2) { !node.isUsable })
            #expect(Date().timeIntervalSince(asked) < 3)
            #expect(writer.write(LogWriter.entry(2, length: 3 << 20)))
            #expect(becomes(within: 10) { node.isUsable })
            servers.signal(SIGCONT, to: 0)
            #expect(reader.wait(for: 2))
            #expect(reader.names == [1, 2] && reader.last == writer.last)
        }
        node.close()
        other.close()
    }

    @Test("An entry longer than a message arrives whole, told or read later")
    func large() async throws {
        let (first, second) = (try cluster("a", .large), try cluster("b", .large))
        let entry = LogWriter.entry(5, length: 5 << 20)
        try await onThread {
            let (writer, reader) = (LogWriter(first.log), LogWriter(second.log))
            #expect(writer.write(LogWriter.entry(1)))
            #expect(writer.write(entry))
            #expect(writer.write(LogWriter.entry(6)))
            #expect(writer.last == 8)
            var found: [NumberedEntry] = []
            #expect(
                becomes(within: 5) {
                    found += reader.take(); return found.count == 3
                })
            let isWhole = found.map(\.number) == [1, 7, 8] && found[1].entry == entry
            #expect(isWhole)
            // Whoever lost it gets it again.
            #expect(reader.take().isEmpty)
            #expect(reader.log.entries(after: 1).isEmpty)
            #expect(becomes(within: 5) { reader.log.entries(after: 1).count == 2 })
            let isSame = reader.log.entries(after: 1).first?.entry == entry
            #expect(isSame)
            // Others were first.
            #expect(reader.log.append(LogWriter.entry(9, length: 2 << 20), after: 7) == .outdated)
        }
        first.close()
        second.close()
    }

    @Test("An entry whose answer was lost comes out as if another had written it")
    func unknown() async throws {
        try cluster("first", .unknown).close()
        let server = try leader(.unknown)
        let others = (0..<NatsServers.count).filter { $0 != server }
        let node = try cluster("a", .unknown, on: server)
        try await onThread { [servers] in
            let writer = LogWriter(node.log)
            #expect(writer.write(LogWriter.entry(1)))
            let stopped = Date()
            for other in others { servers.signal(SIGSTOP, to: other) }
            let answer = node.log.append(LogWriter.entry(2), after: writer.last)
            for other in others { servers.signal(SIGCONT, to: other) }
            #expect(answer == .unknown)
            // After four seconds the others may choose one of them, which does not have the entry.
            let mustBeThere = Date().timeIntervalSince(stopped) < 4
            if mustBeThere {
                #expect(writer.wait(for: 2))
            } else {
                #expect(writer.write(LogWriter.entry(2)))
            }
            #expect(writer.names == [1, 2])
            #expect(writer.write(LogWriter.entry(3)))
            #expect(writer.last == 3)
        }
        node.close()
    }

    @Test(
        "Without most of the servers a node is cut off, and it returns", arguments: [true, false])
    func cutOff(isLeader: Bool) async throws {
        let user = isLeader ? ClusterUser.isolated : .cutOff
        try cluster("first", user).close()
        let leader = try leader(user)
        let server = isLeader ? leader : (leader + 1) % NatsServers.count
        let others = (0..<NatsServers.count).filter { $0 != server }
        let node = try cluster("a", user, on: server)
        try await onThread { [servers] in
            #expect(!node.isUsable)
            _ = node.log.entries(after: 0)
            #expect(becomes(within: 5) { node.isUsable })
            // A cluster with nothing to do is not taken for one that is cut off.
            #expect(!becomes(within: 3) { !node.isUsable })
            for other in others { servers.signal(SIGSTOP, to: other) }
            #expect(becomes(within: 2) { !node.isUsable })
            for other in others { servers.signal(SIGCONT, to: other) }
            #expect(becomes(within: 15) { node.isUsable })
        }
        node.close()
    }
}
