import Base
import Crypto
import Foundation
import SQLite
import System
import TestSupport
import Testing
import WebPush

@testable import Desktop

@Suite("Desktop stores of other schemas")
struct DesktopUpgradeTests {
    /// The schemas of a later program.
    private static let later = DesktopSchema.migrations.adding(
        Migration(
            "colours",
            """
            CREATE TABLE colour (client INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO colour SELECT row, 'blue' FROM client;
            """))

    private let folder: TemporaryFolder
    private let master: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        master = try MasterKey.generate()
    }

    private func store(
        in name: String = "desktop", _ migrations: Migrations = DesktopSchema.migrations
    ) throws -> DesktopStore {
        try DesktopStore(folder: try StateFolder(folder.file(name)), masterKey: master, migrations)
    }

    private func path(in name: String = "desktop") -> String {
        folder.file(name) + "/" + DesktopStore.fileName
    }

    private let client = ClientRecord(
        key: ClientKey(sandbox: "", token: "token"), service: "org.example.App",
        description: "An app", applicationKey: nil, version: .two,
        path: "/org/unifiedpush/Connector", channel: ChannelID(Bits128(high: 1, low: 2)),
        endpoint: "https://p.example/endpoint", created: 5, lastDelivery: nil, lastSeen: 6)

    private func expectEverything(in name: String = "desktop") throws {
        #expect(try store(in: name, Self.later).clients() == [client])
        let connection = try Connection(path(in: name), .readOnly)
        #expect(try connection.integer("PRAGMA user_version") == Self.later.last)
        #expect(try connection.integer("SELECT count(*) FROM colour") == 1)
        #expect(try connection.damage(.thorough) == nil)
    }

    @Test("A later program carries out its step, and everything is there")
    func carriedOut() throws {
        try store().save(client)
        for _ in 0..<2 { try expectEverything() }
    }

    @Test("A kill in the middle of the step loses nothing, and the next start goes on")
    func killed() throws {
        try store().save(client)
        let connection = try Connection(path(), .readWrite)
        try connection.setCheckpointAtEnd(false)
        try connection.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
        try connection.execute(try #require(Self.later.steps.last).sql)
        // What the files contain now is what a kill would leave.
        try FileManager.default.copyItem(
            atPath: folder.file("desktop"), toPath: folder.file("after"))
        try? FileManager.default.removeItem(atPath: path(in: "after") + "-shm")
        let copy = try Connection(path(in: "after"), .readOnly)
        #expect(try copy.integer("PRAGMA user_version") == DesktopSchema.migrations.last)
        for _ in 0..<2 { try expectEverything(in: "after") }
    }

    /// Sets the number of the schema. What was written before stays in the WAL.
    private func set(_ version: Int) throws {
        let connection = try Connection(path(), .readWrite)
        try connection.setCheckpointAtEnd(false)
        try connection.execute("PRAGMA user_version = \(version)")
    }

    @Test("A newer store is refused, and none of its bytes change")
    func newer() throws {
        try store().save(client)
        try set(99)
        let before = try files()
        #expect(before["desktop.db-wal"]?.isEmpty == false)
        let known = DesktopSchema.migrations.last
        #expect(throws: Migration.Failure.newerSchema(found: 99, known: known)) { try store() }
        #expect(try files() == before)
    }

    @Test(
        "One of an earlier program is refused in one sentence, and none of its bytes change",
        arguments: 1..<DesktopSchema.migrations.first)
    func earlier(version: Int) throws {
        try store().save(client)
        try set(version)
        let before = try files()
        let refusal = try #require(throws: DesktopStore.Refusal.self) { try store() }
        #expect(
            refusal.description
                == "\(path()) was written by an earlier bellwire, which this version does not continue"
        )
        #expect(refusal.hint == "move the files \(path())* away; applications then register again")
        #expect(try files() == before)
    }

    /// Without the index of the WAL, which every reader makes anew.
    private func files() throws -> [String: Data] {
        let path = folder.file("desktop")
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !name.hasSuffix("-shm") {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return files
    }
}
