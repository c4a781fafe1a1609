import Crypto
import Foundation
import Mailbox
import TestSupport
import Testing

@testable import Cluster

extension ClusterTests {
    private func settings(_ name: String, _ user: ClusterUser) -> ClusterSettings {
        servers.settings(name, user: user.rawValue)
    }

    @Test("A store comes to a cluster, is there for every node, and leaves with what they did")
    func moving() async throws {
        let (first, second) = try Machine.pair()
        let story = MovingStory(
            first: first, second: second, settings: settings("a", .moving),
            others: settings("b", .moving))
        try await onThread {
            try story.arrive()
            try story.share()
            try story.leave()
        }
    }

    @Test("An interrupted move out of a cluster goes on, and only on the node that began it")
    func leaving() async throws {
        let (first, second) = try Machine.pair()
        let story = MovingStory(
            first: first, second: second, settings: settings("a", .leaving),
            others: settings("b", .leaving))
        try await onThread { try story.leaveTwice() }
    }

    @Test("A node that could not end the log notices what becomes of it")
    func notEnded() async throws {
        let node = try ClusterConnection(settings("a", .notEnded))
        try await onThread { [servers] in
            let writer = LogWriter(node.log)
            #expect(writer.write(LogWriter.entry(1)))
            for server in 0..<NatsServers.count { servers.signal(SIGSTOP, to: server) }
            #expect(throws: ClusterFault.noAnswer) {
                try node.log.end(after: writer.last, as: "a")
            }
            for server in 0..<NatsServers.count { servers.signal(SIGCONT, to: server) }
            let connection = try NatsConnection(settings("b", .notEnded))
            #expect(
                becomes(within: 30) {
                    switch JetStream(connection).delete(LogFeed.stream, patience: 2_000) {
                    case .done: return true
                    // A request whose answer was lost was carried out.
                    case .refused(_, JetStreamError.noStream): return true
                    default: return false
                    }
                })
            connection.close()
            #expect(becomes { node.log.isTooFarBehind || node.log.hasGoneBack })
        }
        node.close()
    }

    @Test("Streams that were emptied are no cluster, but a store can be moved there")
    func emptied() async throws {
        let (first, second) = try Machine.pair()
        let story = MovingStory(
            first: first, second: second, settings: settings("a", .emptied),
            others: settings("b", .emptied))
        try await onThread { try story.empty() }
    }
}

/// What befalls two machines and a cluster.
private struct MovingStory: Sendable {
    let first: Machine
    let second: Machine
    let settings: ClusterSettings
    let others: ClusterSettings

    func arrive() throws {
        try first.use("one")
        // An attempt that did not come to its end is no obstacle to the next.
        let toCluster = try MoveToCluster(settings)
        try first.begin(toCluster)
        try toCluster.put(storeIn: first.state) { _, _ in }
        toCluster.close()
        expect(.arriving) { try openAndClose(others, second) }
        try first.use("two")
        try WantedCopy.keep(9, in: first.state)
        try first.arrive(settings)
        #expect(WantedCopy.entry(in: first.state) == nil)
        #expect(first.applied == 1)
        #expect(throws: StoreFault.shared) { try SQLiteStore(first.options).close() }
        // Only its own node tells the others who they are.
        expect(.arriving) { try openAndClose(others, second) }
    }

    func share() throws {
        let (a, b) = (try ClusterConnection(settings), try ClusterConnection(others))
        try first.use(a.openStore(first.options, node: "a"), "three")
        try second.use(b.openStore(second.options, node: "b"), "four")
        #expect(try second.owners() == ["four", "one", "three", "two"])
        expect(.occupied) {
            let stranger = try Machine()
            try stranger.use("stranger")
            try stranger.arrive(settings)
        }
        expect(.occupied) { try ClusterLeftovers.remove(settings) }
        let fromCluster = MoveFromCluster(a, node: "a", folder: first.state)
        expect(.othersLive(["b"])) { try fromCluster.checkOthers() }
        a.close()
        b.close()
    }

    private func depart() throws {
        usleep(2_000_000)
        let node = try ClusterConnection(settings)
        let store = try node.openStore(first.options, node: "a")
        let fromCluster = MoveFromCluster(node, node: "a", folder: first.state)
        try fromCluster.checkOthers()
        try WantedCopy.keep(9, in: first.state)
        try fromCluster.run(store)
        #expect(WantedCopy.entry(in: first.state) == nil)
        store.close()
        node.close()
    }

    func leave() throws {
        try depart()
        #expect(first.applied == 0)
        try first.use("five")
        #expect(try first.owners() == ["five", "four", "one", "three", "two"])
        expect(.ended(node: "a")) { try openAndClose(others, second) }
        expect(.ended(node: "a")) { try first.arrive(settings) }
        try ClusterLeftovers.remove(settings)
        try first.arrive(settings)
        try openAndClose(settings, first)
    }

    func leaveTwice() throws {
        let node = try ClusterConnection(settings)
        try first.use(node.openStore(first.options, node: "a"), "one")
        try openAndClose(others, second)
        let applied = try #require(first.applied)
        let fromCluster = MoveFromCluster(node, node: "a", folder: first.state)
        #expect(try !fromCluster.finish())
        // Another has written meanwhile.
        #expect(try !node.log.end(after: applied - 1, as: "a"))
        #expect(try node.log.end(after: applied, as: "a"))
        let other = try ClusterConnection(others)
        expect(.ended(node: "a")) {
            _ = try MoveFromCluster(other, node: "b", folder: second.state).finish()
        }
        let cannotGoOn = becomes(within: 5) {
            _ = other.log.entries(after: applied)
            return other.log.isTooFarBehind && !other.isUsable
        }
        #expect(cannotGoOn)
        #expect(!node.log.isTooFarBehind)
        #expect(try fromCluster.finish())
        other.close()
        node.close()
        try first.use("two")
        #expect(try first.owners() == ["one", "two"])
    }

    func empty() throws {
        let node = try ClusterConnection(settings)
        try first.use(node.openStore(first.options, node: "a"), "one")
        node.close()
        let connection = try NatsConnection(settings)
        for name in [LogFeed.stream, ClusterState.stream] {
            guard case .done = JetStream(connection).purge(before: nil, of: name) else {
                Issue.record("\(name) cannot be emptied")
                continue
            }
        }
        connection.close()
        expect(.emptied) { try openAndClose(others, second) }
        let other = try Machine()
        try other.use("other")
        try other.arrive(settings)
        try openAndClose(settings, other)
        #expect(try other.owners() == ["other"])
    }

    private func expect(_ fault: ClusterFault, _ body: () throws -> Void) {
        #expect(throws: fault, performing: body)
    }
}
