import Base
import Crypto
import Foundation
import SQLite
import System
import TestSupport
import Testing

@testable import Desktop

@Suite("Desktop stores of earlier programs")
struct DesktopUpgradeTests {
    /// What `tools/lib/keep_desktop.py` put into it.
    private struct Facts: Decodable {
        let service: String
        let token: String
        let endpoint: String
        let receiver: String
        let schema: Int
    }

    private static let source = Vectors.folder.appending(path: "Upgrades")

    private static var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: source.path)
        return (names ?? []).filter { $0.hasPrefix("desktop-") }.sorted()
    }

    private let folder: TemporaryFolder
    private var path: String { folder.file("desk/desktop") }

    init() throws { folder = try TemporaryFolder() }

    private func unpack(_ name: String, to folder: TemporaryFolder) throws -> Facts {
        let tar = try RunningProcess(
            "/usr/bin/tar",
            ["-xzf", Self.source.appending(path: name).path, "-C", folder.path, "--no-same-owner"],
            errors: .withOutput)
        #expect(try tar.text().isEmpty)
        chmod(folder.file("desk/desktop"), 0o700)
        let data = try Data(contentsOf: URL(filePath: folder.file("facts.json")))
        return try JSONDecoder().decode(Facts.self, from: data)
    }

    @Test("There is a store of every earlier schema")
    func complete() throws {
        let schemas = try Self.names.map { try unpack($0, to: try TemporaryFolder()).schema }
        #expect(
            schemas == Array(1..<DesktopSchema.migrations.count), "see Tests/Vectors/Upgrades")
    }

    @Test("Today's program opens it, and everything is there", arguments: names)
    func opened(name: String) throws {
        let facts = try unpack(name, to: folder)
        let before = try Connection(path + "/desktop.db", .readOnly)
        #expect(try before.integer("PRAGMA user_version") == facts.schema)
        // What the first start wrote has today's form.
        for _ in 0..<2 { try expectEverything(facts) }
        let after = try Connection(path + "/desktop.db", .readOnly)
        #expect(try after.integer("PRAGMA user_version") == DesktopSchema.migrations.count)
        let check = try Statement("PRAGMA integrity_check", on: after)
        #expect(try check.step() && check.text(0) == "ok")
    }

    private func expectEverything(_ facts: Facts) throws {
        let text = try Data(
            contentsOf: URL(filePath: folder.file("desk/keys/desktop-master.json")))
        guard case .master(let master) = try StoredKey(json: Array(text)) else {
            throw POSIXError(.EINVAL)
        }
        let store = try DesktopStore(folder: try StateFolder(path), masterKey: master)
        let client = try #require(try store.clients().first)
        #expect(client.key.token == facts.token && client.service == facts.service)
        #expect(client.endpoint == facts.endpoint)
        #expect(try store.channels().map(\.channel) == [client.channel])
        let receiver = try store.receiver(at: facts.receiver)
        #expect(receiver.row == 1 && receiver.userAgent != nil)
        let history = try store.history()
        #expect(history.records.map(\.key.group) == [1, 2])
        #expect(history.records.map(\.key.notification) == [1, 2])
        // Before groups were told apart, there was one highest number for all.
        let highest: [Int32: Int32] = facts.schema == 1 ? [1: 2, 2: 2] : [1: 1, 2: 2]
        #expect(history.highest["telegram/me@localhost"] == highest)
    }

    @Test("A newer store is refused, and none of its bytes change")
    func newer() throws {
        let facts = try unpack(try #require(Self.names.last), to: folder)
        do {
            let connection = try Connection(path + "/desktop.db", .readWrite)
            try connection.setCheckpointAtEnd(false)
            try connection.execute("PRAGMA user_version = 99")
        }
        // The lock is made before the store is looked at.
        _ = try StateFolder(path)
        let before = try files()
        #expect(before["desktop.db-wal"]?.isEmpty == false)
        let known = DesktopSchema.migrations.count
        #expect(throws: Migration.Failure.newerSchema(found: 99, known: known)) {
            try expectEverything(facts)
        }
        #expect(try files() == before)
    }

    /// Without the index of the WAL, which every reader makes anew.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !name.hasSuffix("-shm") {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return files
    }
}
