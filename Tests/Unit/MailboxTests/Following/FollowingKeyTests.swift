import Base
import Crypto
import Foundation
import SQLite
import Testing

@testable import Mailbox

@Suite("A new master key of stores that stay alike")
struct FollowingKeyTests {
    private func becomes(_ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !condition() {
            guard Date() < deadline else { return false }
            usleep(2_000)
        }
        return true
    }

    /// The ids of the keys that something in the file is sealed under.
    private func sealingKeys(_ test: TestStore) throws -> Set<UInt64> {
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        var found: Set<UInt64> = []
        for column in Resealing.columns {
            let rows = try Statement("SELECT \(column.column) FROM \(column.table)", on: connection)
            while try rows.step() {
                if let id = Sealer.masterKeyID(ofStart: rows.bytes(0).span) { found.insert(id) }
            }
        }
        return found
    }

    @Test("All seal under it, one of them seals everything again, and the former key can go")
    func rotation() throws {
        let group = try FollowingTests.Group(3)
        let (former, key) = (group.stores[0].options.masterKey, try MasterKey.generate())
        let device = try group.stores[0].addDevice()
        let subscription = try group.stores[0].register(device)
        for number in 0..<150 { try group.stores[0].keep(subscription.address, "\(number)") }
        let (registration, _) = try group.stores[1].addRegistration()
        try group.settle()
        for test in group.stores {
            test.store.learn(key)
            #expect(becomes { test.store.knownKeys == [former.id, key.id] })
            #expect(test.store.sealingKey == former.id)
        }
        // Those that have not heard of it yet open what the others seal under it.
        for (number, test) in group.stores.enumerated() {
            test.store.use(key: key.id)
            #expect(becomes { test.store.sealingKey == key.id })
            try test.keep(subscription.address, "new \(number)")
            try group.settle()
            for other in group.stores {
                #expect(try other.bodies(device).count == 151 + number)
                #expect(try other.find(registration.id) != nil)
            }
        }
        #expect(try sealingKeys(group.stores[2]) == [former.id, key.id])
        #expect(group.stores[1].store.unopenedRows == nil)
        group.stores[1].store.reseal()
        #expect(becomes { group.stores[1].store.unopenedRows == 0 })
        #expect(becomes { group.stores[1].store.resealing == nil })
        try group.settle()
        for test in group.stores {
            #expect(try sealingKeys(test) == [key.id])
            test.options.masterKey = key
            let origin = try StoreOrigin(
                wall: 1_700_000_000_000, keys: test.store.ownKeys, masterKey: key)
            test.options.log = group.log.seat("node", origin)
        }
        try group.expectAlike()
        #expect(try group.stores[0].bodies(device).count == 153)
    }

    @Test("Rows that do not open are counted and stay as they are")
    func damaged() throws {
        let group = try FollowingTests.Group(2)
        let (former, key) = (group.stores[0].options.masterKey, try MasterKey.generate())
        let (first, second) = (group.stores[0], group.stores[1])
        let device = try first.addDevice()
        let subscription = try first.register(device)
        for text in ["a", "b"] { try first.keep(subscription.address, text) }
        try group.settle()
        for test in group.stores {
            try test.restart {
                try Connection(test.path + "/bellwire.db", .readWrite).execute(
                    "UPDATE message SET sealed = substr(sealed, 1, 60) || x'00' WHERE position = "
                        + "(SELECT max(position) FROM message)")
            }
            test.store.learn(key)
            #expect(becomes { test.store.knownKeys.contains(key.id) })
            test.store.use(key: key.id)
            #expect(becomes { test.store.sealingKey == key.id })
        }
        first.store.reseal()
        #expect(becomes { first.store.unopenedRows == 1 })
        try group.settle()
        #expect(try sealingKeys(second) == [former.id, key.id])
        #expect(try second.keep(subscription.address, "c").content.body == Array("c".utf8))
    }

    /// Another node's entry that changes nothing.
    private func entry(_ schema: Int, in group: FollowingTests.Group) throws -> CommitEntry {
        let last = try #require(group.log.entries(after: 0).last).entry
        return CommitEntry(
            name: UInt64(schema), position: last.position, sequence: last.sequence, changes: [],
            schema: schema)
    }

    @Test("An entry of a program before the first schema is not followed, and says why")
    func earlier() throws {
        let group = try FollowingTests.Group(1)
        let test = group.stores[0]
        _ = try test.addDevice()
        let before = try StorePicture.rows(test.path)
        let (end, earlier) = (group.log.last, CommitEntry.firstSchema - 1)
        #expect(group.log.append(try entry(earlier, in: group), after: end) == .appended(end + 1))
        #expect(becomes { !test.store.isUsable })
        #expect(try StorePicture.applied(test.path) == end)
        #expect(try StorePicture.rows(test.path) == before)
        #expect(throws: StoreFault.earlierSchema) { try test.restart() }
    }

    @Test("An entry of a newer schema is not followed, and says why")
    func newer() throws {
        let group = try FollowingTests.Group(1)
        let test = group.stores[0]
        let device = try test.addDevice()
        let known = CommitEntry.knownSchema
        #expect(group.log.entries(after: 0).allSatisfy { $0.entry.schema == known })
        let before = try StorePicture.rows(test.path)
        let end = group.log.last
        #expect(group.log.append(try entry(known, in: group), after: end) == .appended(end + 1))
        try group.settle()
        #expect(
            group.log.append(try entry(known + 1, in: group), after: end + 1)
                == .appended(end + 2))
        #expect(becomes { test.store.newerLog == known + 1 })
        #expect(!test.store.isUsable)
        #expect(try test.run(.touchDevice(device, at: 1)) == .unavailable)
        #expect(try StorePicture.applied(test.path) == end + 1)
        #expect(try StorePicture.rows(test.path) == before)
        #expect(throws: StoreFault.newerLog(found: known + 1, known: known)) { try test.restart() }
    }
}
