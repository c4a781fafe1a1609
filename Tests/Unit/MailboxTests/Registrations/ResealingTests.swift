import Base
import Crypto
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Mailbox

@Suite("Rotation of the master key", .alone("stores that stay alike seal again together"))
struct ResealingTests {
    /// Waits for the end of a rotation.
    private final class End: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let rows = Mutex(0)
        /// Rows that did not open, in all rotations so far.
        var unopened: Int { rows.withLock { $0 } }
        func note(_ count: Int) {
            rows.withLock { $0 += count }
            semaphore.signal()
        }
        var came: Bool { semaphore.wait(timeout: .now() + 20) == .success }
    }

    /// Registrations, messages of user agents and an answer, so that every table has rows.
    private func fill(_ test: TestStore) throws -> (Registration, device: UInt32) {
        let device = try test.addDevice()
        let subscription = try test.register(device)
        for number in 0..<150 { try test.keep(subscription.address, "\(number)") }
        let (registration, target) = try test.draft()
        let kept = KeptAnswer(
            request: try test.digest(), body: try test.digest(), answer: [1, 2, 3])
        try test.expectDone(
            .registration(.create(registration, target, credential: nil, limit: nil, kept)))
        _ = try test.receive(target.address, "payload")
        _ = try test.addTopic()
        try test.expectDone(.addCredential(try test.token("token", .usual)))
        try test.expectDone(.passkey(.add(try PasskeyStoreTests.passkey())))
        return (registration, device)
    }

    @Test("How far it is can be asked, and never goes back")
    func progress() throws {
        let end = End()
        let test = try TestStore { $0.onResealed = { end.note($0) } }
        _ = try fill(test)
        #expect(test.store.resealing == nil)
        var seen: [ResealingProgress] = []
        // A busy machine may not look before it is over.
        for _ in 0..<50 where seen.count < 2 {
            seen = []
            test.store.rotate(to: try MasterKey.generate())
            while let progress = test.store.resealing {
                if seen.last != progress { seen.append(progress) }
            }
        }
        #expect(end.came && end.unopened == 0)
        #expect(seen.first == ResealingProgress(done: 0, total: 0))
        for (former, next) in zip(seen, seen.dropFirst()) {
            #expect(former.done <= next.done && next.done <= next.total)
        }
        #expect(seen.count > 1 && seen.last?.total ?? 0 > 150)
    }

    private func expectWhole(
        _ test: TestStore, _ registration: Registration, _ device: UInt32
    ) throws {
        #expect(try test.bodies(device) == (0..<150).map(String.init))
        #expect(try test.bodies(registration.device) == ["payload"])
        #expect(try test.find(registration.id)?.target.keys != nil)
        guard case .subscriptions(let all) = try test.load(.subscriptions(device: device)) else {
            Issue.record("no subscriptions")
            return
        }
        #expect(all.count == 1)
    }

    @Test("Everything is resealed while the store works, and opens without the former key")
    func rotation() throws {
        let end = End()
        let test = try TestStore { $0.onResealed = { end.note($0) } }
        let (registration, device) = try fill(test)
        let key = try MasterKey.generate()
        test.store.rotate(to: key)
        try expectWhole(test, registration, device)
        #expect(end.came)
        try expectWhole(test, registration, device)
        test.options.masterKey = key
        try test.restart()
        try expectWhole(test, registration, device)
    }

    @Test("No sealed column is left out")
    func columns() throws {
        let end = End()
        let test = try TestStore { $0.onResealed = { end.note($0) } }
        _ = try fill(test)
        let key = try MasterKey.generate()
        test.store.rotate(to: key)
        #expect(end.came)
        test.close()
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        let tables = try Statement(
            """
            SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name LIKE 'sealed%'
            """, on: connection)
        var count = 0
        while try tables.step() {
            let (table, column) = (tables.text(0), tables.text(1))
            let rows = try Statement("SELECT \(column) FROM \(table)", on: connection)
            let sealer = try Sealer(current: key)
            while try rows.step() {
                let sealed = rows.bytes(0)
                let isCurrent = sealer.isSealedUnderCurrentKey(sealed.span)
                #expect(isCurrent, "\(table).\(column)")
                count += 1
            }
        }
        #expect(count > 150)
    }

    @Test("What is sealed opens only under its owner, except for what has none or several")
    func owners() throws {
        let end = End()
        let test = try TestStore { $0.onResealed = { end.note($0) } }
        let (registration, _) = try fill(test)
        try test.make(registration.device)
        let (former, key) = (test.options.masterKey, try MasterKey.generate())
        test.options.masterKey = key
        test.options.formerKeys = [former]
        let (free, file) = (["state", "engine_record"], test.path + "/bellwire.db")
        var bound: Int64 = 0
        try test.restart {
            let connection = try Connection(file, .readWrite)
            for column in Resealing.columns where !free.contains("\(column.table)") {
                let rows = try connection.integer("SELECT count(*) FROM \(column.table)")
                #expect(rows > 0, "\(column.table)")
                bound += rows
            }
            try connection.execute(
                """
                INSERT INTO owner (name) VALUES ('bob');
                UPDATE device SET owner = (SELECT row FROM owner WHERE name = 'bob');
                UPDATE registration SET owner = 'bob'; UPDATE engine SET owner = 'bob';
                UPDATE callback SET owner = 'bob'; UPDATE kept_answer SET owner = 'bob';
                UPDATE topic_owner SET owner = 'bob'; UPDATE passkey SET owner = 'bob';
                UPDATE credential SET owner = (SELECT row FROM owner WHERE name = 'bob');
                """)
        }
        #expect(end.came && end.unopened == bound)
        #expect(try test.bodies(registration.device) == [])
        guard case .unavailable = try test.load(.registration(.one(registration.id))) else {
            Issue.record("another owner reads the registration")
            return
        }
    }

    @Test("A callback that was given up keeps no former key")
    func givenUp() throws {
        let end = End()
        let test = try TestStore { $0.onResealed = { end.note($0) } }
        try test.make(9)
        try test.settle(9, .gone)
        test.store.rotate(to: try MasterKey.generate())
        #expect(end.came && end.unopened == 0)
    }

    @Test("An interrupted rotation continues at the next start")
    func interruption() throws {
        let test = try TestStore()
        let (registration, device) = try fill(test)
        let (former, key) = (test.options.masterKey, try MasterKey.generate())
        // New rows are sealed under the new key; the others have not been reached.
        test.options.masterKey = key
        test.options.formerKeys = [former]
        let end = End()
        test.options.onResealed = { end.note($0) }
        try test.restart()
        try expectWhole(test, registration, device)
        #expect(end.came)
        test.options.formerKeys = []
        try test.restart()
        try expectWhole(test, registration, device)
    }

    @Test("A store ended during a rotation has rows under both keys and opens them all")
    func middle() throws {
        let test = try TestStore()
        let (registration, device) = try fill(test)
        for _ in 0..<5 {
            let key = try MasterKey.generate()
            test.store.rotate(to: key)
            test.options.formerKeys = [test.options.masterKey]
            test.options.masterKey = key
            try test.restart()
            try expectWhole(test, registration, device)
            let end = End()
            test.options.onResealed = { end.note($0) }
            try test.restart()
            try expectWhole(test, registration, device)
            #expect(end.came)
            test.options.onResealed = { _ in }
        }
    }

    @Test("The former key is kept while a row does not open, so the row can be read again later")
    func damaged() throws {
        let end = End()
        let test = try TestStore()
        _ = try fill(test)
        let (former, key) = (test.options.masterKey, try MasterKey.generate())
        test.options.masterKey = key
        test.options.formerKeys = [former]
        test.options.onResealed = { end.note($0) }
        // One byte of the ciphertext of one message.
        func flip() throws {
            let connection = try Connection(test.path + "/bellwire.db", .readWrite)
            let find = try Statement(
                "SELECT position, sealed FROM message ORDER BY position LIMIT 1", on: connection)
            guard try find.step() else { return }
            var (row, sealed) = (find.integer(0), find.bytes(1))
            sealed[sealed.count - 1] ^= 1
            let update = try Statement(
                "UPDATE message SET sealed = ?2 WHERE position = ?1", on: connection)
            try update.bind(row, at: 1)
            try update.bind(sealed, at: 2)
            try update.run()
        }
        try test.restart(flip)
        #expect(end.came && end.unopened == 1)
        try test.restart(flip)
        #expect(
            end.came && end.unopened == 1, "the repaired row opens with the former key")
    }

    @Test("Nothing is lost if a new key was made but never used")
    func unusedKey() throws {
        let test = try TestStore()
        let (registration, device) = try fill(test)
        let former = test.options.masterKey
        test.options.formerKeys = [former]
        try test.restart()
        try expectWhole(test, registration, device)
        test.options.formerKeys = []
        test.options.masterKey = try MasterKey.generate()
        #expect(throws: StoreFault.wrongMasterKey) { try test.restart() }
    }
}
