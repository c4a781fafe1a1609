import Crypto
import Foundation
import System
import TestSupport
import Testing

@testable import Mailbox
@testable import SQLite

@Suite("Stores of other schemas", .alone("its schema is that of this program"))
struct UpgradeTests {
    /// The schemas of a later program.
    private static let later = Schema.migrations.adding(
        Migration(
            "copies",
            """
            CREATE TABLE copy (message INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
            INSERT INTO copy SELECT position, sealed FROM message;
            ALTER TABLE kept_answer ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
            CREATE INDEX kept_answer_colour ON kept_answer (colour);
            """))
    private static let step = Migration.Step(
        name: "copies", number: later.last, last: later.last)

    private let folder: TemporaryFolder
    private let master: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        master = try MasterKey.generate()
    }

    private final class Steps: Sendable {
        private let steps = Lock<[Migration.Step]>([])
        var told: [Migration.Step] { steps.withLock { $0 } }
        func tell(_ step: Migration.Step) { steps.withLock { $0.append(step) } }
    }

    /// A store in a folder of that name.
    private func store(
        in name: String, _ migrations: Migrations = Schema.migrations, _ steps: Steps = Steps()
    ) throws -> TestStore {
        let (path, master) = (folder.file(name), master)
        return try TestStore { options in
            options.folder = path
            options.masterKey = master
            options.migrations = migrations
            options.onUpgrade = { steps.tell($0) }
        }
    }

    private func fault(in name: String) -> StoreFault? {
        do {
            try store(in: name).close()
            return nil
        } catch { return error as? StoreFault }
    }

    private func file(_ name: String) -> String {
        folder.file(name) + "/" + WriterDatabase.fileName
    }

    private static func body(_ number: Int) -> String {
        String(repeating: "\(number) ", count: 300)
    }

    /// Returns the device whose messages wait.
    private func fill(_ test: TestStore) throws -> UInt32 {
        let device = try test.addDevice()
        let address = try test.register(device).address
        for number in 0..<100 { try test.keep(address, Self.body(number)) }
        _ = try test.addRegistration(owner: "ann")
        return device
    }

    private func expectEverything(in test: TestStore, _ device: UInt32) throws {
        #expect(try test.bodies(device) == (0..<100).map(Self.body))
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        #expect(owners.map(\.name) == ["ann"] && owners.map(\.registrations) == [1])
    }

    private func expectSound(_ name: String, _ version: Int) throws {
        let connection = try Connection(file(name), .readOnly)
        #expect(try connection.integer("PRAGMA user_version") == version)
        #expect(try connection.damage(.thorough) == nil)
        #expect(try connection.integer("SELECT count(*) FROM copy") == 100)
    }

    @Test("A later program carries out its step once, and everything is there")
    func carriedOut() throws {
        let device = try {
            let test = try store(in: "store")
            defer { test.close() }
            return try fill(test)
        }()
        let steps = Steps()
        for _ in 0..<2 {
            let test = try store(in: "store", Self.later, steps)
            try expectEverything(in: test, device)
            test.close()
        }
        #expect(steps.told == [Self.step])
        try expectSound("store", Self.later.last)
        #expect(
            fault(in: "store")
                == .newerSchema(found: Self.later.last, known: Schema.migrations.last))
    }

    @Test("A kill in the middle of the step loses nothing, and the next start goes on")
    func killed() throws {
        let test = try store(in: "store")
        let device = try fill(test)
        // While the store is open, its files are what a kill leaves.
        try copy("store", to: "before")
        let connection = try Connection(file("before"), .readWrite)
        try connection.setCheckpointAtEnd(false)
        // Without room in memory, pages are written before the commit.
        try connection.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
        let size = try FileManager.default.attributesOfItem(atPath: file("before") + "-wal")[.size]
        try connection.execute(try #require(Self.later.steps.last).sql)
        try copy("before", to: "after")
        let grown = try FileManager.default.attributesOfItem(atPath: file("after") + "-wal")[.size]
        #expect(try #require(size as? Int) < #require(grown as? Int))
        let steps = Steps()
        let after = try store(in: "after", Self.later, steps)
        try expectEverything(in: after, device)
        after.close()
        #expect(steps.told == [Self.step])
        try expectSound("after", Self.later.last)
    }

    private func copy(_ name: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file(other))
        try? FileManager.default.removeItem(atPath: file(other) + "-shm")
    }

    @Test(
        "One of an earlier program is refused in one sentence, and not changed",
        arguments: [1, Schema.first - 1])
    func refused(version: Int) throws {
        try store(in: "store").close()
        try Connection(file("store"), .readWrite).execute("PRAGMA user_version = \(version)")
        let before = try Data(contentsOf: URL(filePath: file("store")))
        let found = try #require(fault(in: "store"))
        #expect(found == .earlierSchema)
        #expect(!found.description.contains("\n"))
        #expect(found.hint == "move the files bellwire.db* away; the next start makes a new store")
        #expect(throws: BackupFailure.store(.earlierSchema)) {
            _ = try StoreSnapshot(of: folder.file("store")).write(
                to: folder.file("backup"),
                StoreSnapshot.Terms(
                    .clear(try #require(BackupKeys([master]))), made: 1, program: "test")
            ) { _, _, _ in }
        }
        #expect(try Data(contentsOf: URL(filePath: file("store"))) == before)
    }
}
