import Foundation
import SQLite
import System
import TestSupport
import Testing

@testable import Mailbox

@Suite("Stores that are not like the others")
struct DifferenceTests {
    @Test("No table is kept from the other stores, but what each has for itself")
    func tables() throws {
        let test = try TestStore()
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        let select = try connection.statement(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        var tables: Set<String> = []
        while try select.step() { tables.insert(select.text(0)) }
        #expect(tables.subtracting(BatchExecutor.tables) == ["state"])
    }

    /// Changes a row in a store's file behind its back.
    private func plant(_ sql: String, in store: TestStore) throws {
        try Connection(store.path + "/bellwire.db", .readWrite).execute(sql)
    }

    @Test("What nobody has changed by the log is seen when all look at what they are")
    func compared() throws {
        let group = try FollowingTests.Group(3)
        let device = try group.stores[0].addDevice()
        let subscription = try group.stores[0].register(device)
        for body in ["one", "two"] {
            _ = try group.stores[1].run(
                .store(group.stores[1].message(subscription.address, body)))
        }
        try group.settle()
        for test in group.stores { test.store.beginComparing() }
        let alike = try digests(group)
        #expect(alike.allSatisfy { $0 == alike[0] })
        try plant("DELETE FROM message", in: group.stores[2])
        let now = try digests(group)
        #expect(now[0] == now[1] && now[0].entry > alike[0].entry)
        #expect(now[2].entry == now[0].entry)
        let unlike = PinnedStore.tables.indices.filter {
            now[2].tables[$0] != now[0].tables[$0]
        }
        #expect(unlike.map { PinnedStore.tables[$0] } == ["message"])
    }

    private struct Digests: Equatable {
        let entry: Int64
        let tables: [String]
    }

    private func digests(_ group: FollowingTests.Group) throws -> [Digests] {
        group.stores[0].store.askForComparison()
        return try group.stores.map { test in
            let deadline = Date(timeIntervalSinceNow: 30)
            while Date() < deadline {
                if let pinned = test.store.takePinned() {
                    // What is written since does not count.
                    _ = try test.addDevice()
                    return Digests(
                        entry: pinned.entry, tables: try #require(try pinned.digests { true }))
                }
                usleep(5_000)
            }
            throw AnswerBox.Missing()
        }
    }

    @Test("A comparison that is read stops when something is to be forgotten")
    func forgotten() throws {
        let test = try FollowingTests.Group(1).stores[0]
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: "phone",
            owner: "ann", created: 1)
        try test.expectDone(.addCredential(credential))
        test.store.beginComparing()
        test.store.askForComparison()
        let pinned = Lock<PinnedStore?>(nil)
        let deadline = Date(timeIntervalSinceNow: 30)
        while pinned.withLock({ $0 == nil }), Date() < deadline {
            pinned.withLock { $0 = test.store.takePinned() }
            usleep(5_000)
        }
        let reading = Thread {
            pinned.withLock { pinned in
                while Date() < deadline, (try? pinned?.digests { true }) ?? nil != nil {}
                pinned = nil
            }
        }
        reading.start()
        #expect(try test.run(.forgetCredential(credential.row)) == .done)
    }

    @Test(
        "A store says in which table it differs, and after which entry",
        arguments: ["DELETE FROM message", "UPDATE message SET size = size + 1"])
    func found(_ sql: String) throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let device = try first.addDevice()
        let subscription = try first.register(device)
        let message = try first.message(subscription.address, "one")
        guard case .stored = try first.run(.store(message)) else { throw AnswerBox.Missing() }
        try group.settle()
        try plant(sql, in: second)
        let last = group.log.last
        #expect(try first.run(.withdraw(message.location)) != .notFound)
        let deadline = Date(timeIntervalSinceNow: 30)
        while second.store.difference == nil, Date() < deadline { usleep(5_000) }
        let difference = StoreDifference(table: "message", entry: last + 1)
        #expect(second.store.difference == difference)
        #expect(!second.store.isUsable && first.store.difference == nil)
        // It says the same at its next start.
        second.close()
        #expect(throws: StoreFault.differs(difference)) { try SQLiteStore(second.options).close() }
    }
}
