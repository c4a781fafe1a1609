import Foundation
import Mailbox
import System
import TestSupport
import Testing

@testable import Cluster

/// Servers that lose what they had confirmed, and stores that are not what the log says.
extension ClusterTests {
    private func settings(_ name: String, _ user: ClusterUser) -> ClusterSettings {
        servers.settings(name, user: user.rawValue)
    }

    @Test("When servers come back with less, nodes that have more write nothing and do not start")
    func wentBack() async throws {
        let node = try ClusterConnection(settings("a", .wentBack))
        let (first, second) = try Machine.pair()
        let story = WentBackStory(
            servers: servers, first: first, second: second, settings: settings("a", .rewritten),
            others: settings("b", .rewritten))
        try await onThread { try story.run(node) }
        node.close()
    }

    @Test("A node whose store differs says where, gets a copy, and serves again")
    func differing() async throws {
        let (first, second) = try Machine.pair()
        let settings = (self.settings("a", .differing), self.settings("b", .differing))
        try await onThread {
            let node = try ClusterConnection(settings.0)
            let store = try node.openStore(first.options, node: "a")
            let upkeep = ClusterUpkeep(node, store, in: first.state) { _ in }
            try upkeep.start()
            first.run(.addOwner(name: "one"), store)
            first.run(.addOwner(name: "two"), store)
            try openAndClose(settings.1, second)
            #expect(try second.owners() == ["one", "two"])
            try second.plant("DELETE FROM owner WHERE name = 'one'")
            let last = store.applied
            first.run(.removeOwner(try first.row(of: "one")), store)
            let reports = Reports()
            let other = try ClusterConnection(settings.1)
            let copied = try other.openStore(second.options, node: "b") { reports.add($0) }
            let isFound = reports.all.allSatisfy { event in
                guard case .differs(let found) = event else { return false }
                return found.table == "owner" && found.entry > last && found.entry <= store.applied
            }
            #expect(isFound && reports.all.count == 1, "\(reports.all) after \(last)")
            #expect(try second.owners() == ["two"])
            #expect(becomes(within: 5) { copied.isUsable })
            copied.close()
            other.close()
            upkeep.stop()
            store.close()
            node.close()
        }
    }

    @Test("A row that nobody needs is missed by comparing, and comes back with a copy")
    func compared() async throws {
        let machines = try Machine.pair()
        let third = try Machine(machines.0.key)
        let settings = ["a", "b", "c"].map { self.settings($0, .compared) }
        try await onThread {
            let others = try loseRow(of: machines.0, settings[0]) {
                try [ComparedNode(settings[1], machines.1), ComparedNode(settings[2], third)]
            }
            #expect(try machines.0.owners().isEmpty)
            // It may have kept a copy of what it has.
            #expect(
                try #require(WantedCopy.entry(in: machines.0.state)) > (machines.0.applied ?? .max))
            let again = try ComparedNode(settings[0], machines.0)
            #expect(try machines.0.owners() == ["one"])
            #expect(WantedCopy.entry(in: machines.0.state) == nil)
            for node in others + [again] { node.end() }
        }
    }

    /// Until the node, which leads, notices it, and ends.
    private func loseRow(
        of machine: Machine, _ settings: ClusterSettings,
        beside makeOthers: () throws -> [ComparedNode]
    ) throws -> [ComparedNode] {
        let node = try ComparedNode(settings, machine)
        #expect(becomes(within: 20) { node.store.isLead })
        let others = try makeOthers()
        others[0].machine.run(.addOwner(name: "one"), others[0].store)
        #expect(becomes(within: 30) { (try? machine.owners()) == ["one"] })
        try machine.plant("DELETE FROM owner")
        // What asks for it may get lost, and a node that is slow is waited for.
        for _ in 0..<3 where node.differences.isEmpty {
            others[0].store.askForComparison()
            _ = becomes(within: 40) { !node.differences.isEmpty }
        }
        #expect(node.differences.first?.table == "owner")
        let wrong = others.flatMap(\.differences)
        #expect(wrong.isEmpty)
        node.end()
        return others
    }
}

/// A node that compares itself with the others when it is asked to.
private final class ComparedNode: Sendable {
    let machine: Machine
    let node: ClusterConnection
    let store: SQLiteStore
    private let upkeep: ClusterUpkeep
    private let reports = Reports()

    init(_ settings: ClusterSettings, _ machine: Machine) throws {
        self.machine = machine
        node = try ClusterConnection(settings)
        store = try node.openStore(machine.options, node: settings.name)
        upkeep = ClusterUpkeep(node, store, in: machine.state, comparingEvery: 3_600_000) {
            [reports] event in reports.add(event)
        }
        try upkeep.start()
    }

    var differences: [StoreDifference] { reports.differences }

    func end() {
        upkeep.stop()
        store.close()
        node.close()
    }
}

/// What a node reports.
private final class Reports: Sendable {
    private let events = Lock<[ClusterEvent]>([])

    var all: [ClusterEvent] { events.withLock { $0 } }
    var differences: [StoreDifference] {
        all.compactMap { if case .differs(let difference) = $0 { difference } else { nil } }
    }

    func add(_ event: ClusterEvent) { events.withLock { $0.append(event) } }
}

private struct WentBackStory: Sendable {
    let servers: NatsServers
    let first: Machine
    let second: Machine
    let settings: ClusterSettings
    let others: ClusterSettings

    func run(_ node: ClusterConnection) throws {
        let writer = LogWriter(node.log)
        #expect(writer.write(LogWriter.entry(1)))
        try write("zero", first, settings)
        try openAndClose(others, second)
        let copies = try TemporaryFolder()
        try servers.restart { folders in
            for (index, folder) in folders.enumerated() {
                try FileManager.default.copyItem(
                    atPath: folder, toPath: copies.file("\(index)"))
            }
        }
        #expect(writer.write(LogWriter.entry(2)))
        #expect(!node.log.hasGoneBack)
        // What it remembers beside its store is some seconds old.
        try write("one", first, settings, isRemembered: false)
        try servers.restart { folders in
            for (index, folder) in folders.enumerated() {
                try FileManager.default.removeItem(atPath: folder)
                try FileManager.default.copyItem(
                    atPath: copies.file("\(index)"), toPath: folder)
            }
        }
        #expect(becomes { node.log.hasGoneBack })
        #expect(!node.isUsable)
        #expect(node.log.append(LogWriter.entry(3), after: writer.last) == .unknown)
        try expectRefusal { $0 < $1 }
        // The others know nothing of it, and go on.
        try write("two", second, others)
        try write("three", second, others)
        try expectRefusal { $0 >= $1 }
        try checkRecord()
    }

    /// Writes an owner, and remembers the entry as a node does all the time.
    private func write(
        _ owner: String, _ machine: Machine, _ settings: ClusterSettings,
        isRemembered: Bool = true
    ) throws {
        let node = try ClusterConnection(settings)
        let store = try node.openStore(machine.options, node: settings.name)
        machine.run(.addOwner(name: owner), store)
        #expect(becomes(within: 5) { store.lastEntry?.number == store.applied })
        if isRemembered {
            try ConfirmedEntry.keep(#require(store.lastEntry), in: machine.state)
        }
        store.close()
        node.close()
    }

    private func expectRefusal(
        _ isExpected: (_ last: Int64, _ confirmed: Int64) -> Bool
    ) throws {
        let fault = #expect(throws: ClusterFault.self) { try openAndClose(settings, first) }
        guard case .wentBack(let last, let confirmed)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(isExpected(last, confirmed))
    }

    /// A node without a store knows what the one that leads has confirmed.
    private func checkRecord() throws {
        var mark = try #require(ConfirmedEntry.read(in: second.state))
        let third = try Machine(second.key)
        let node = try ClusterConnection(others)
        try node.state.confirm(mark)
        try openAndClose(others, third)
        // On a busy machine it was open for long enough to write something.
        if let later = ConfirmedEntry.read(in: third.state) { mark = later }
        let other = try EntryMark(LogWriter.entry(7), at: mark.number + 1)
        try node.state.confirm(other)
        // Each of the servers may be asked, and one may not have it yet. The node then opens, and on a
        // busy machine writes something.
        var hasOpened = false
        #expect(
            becomes {
                do { try openAndClose(others, Machine(second.key)) } catch {
                    guard case .wentBack(let last, other.number)? = error as? ClusterFault else {
                        return false
                    }
                    return last == mark.number || hasOpened && last > mark.number
                }
                hasOpened = true
                return false
            })
        node.close()
    }
}
