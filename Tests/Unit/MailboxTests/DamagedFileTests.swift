import Base
import Delivery
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Mailbox

@Suite("Damaged and foreign database files", .alone("it changes the file by hand"))
struct DamagedFileTests {
    private static let names = [WriterDatabase.fileName, WriterDatabase.fileName + "-wal"]
    private static let pageSize = 4_096

    private let test: TestStore
    private let device: UInt32
    /// The files of a store that was closed, and of one that was killed.
    private let ended: [Data]
    private let killed: [Data]

    init() throws {
        test = try TestStore()
        device = try test.addDevice()
        let subscription = try test.register(device)
        for number in 0..<100 { try test.keep(subscription.address, "\(number)", topic: "t") }
        for number in 0..<100 { try test.keep(subscription.address, "\(number)") }
        let (registration, target) = try test.draft()
        try test.expectDone(
            .registration(.create(registration, target, credential: nil, limit: nil, nil)))
        for number in 0..<20 { _ = try test.receive(target.address, "payload \(number)") }
        killed = try Self.files(in: test.path)
        test.close()
        ended = try Self.files(in: test.path)
    }

    /// Empty if there is none.
    private static func files(in folder: String) throws -> [Data] {
        try names.map { name in
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path) else { return Data() }
            return try Data(contentsOf: URL(filePath: path))
        }
    }

    private func put(_ files: [Data]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: test.path) {
            try FileManager.default.removeItem(atPath: test.path + "/" + name)
        }
        for (name, data) in zip(Self.names, files) where !data.isEmpty {
            try data.write(to: URL(filePath: test.path + "/" + name))
        }
    }

    /// Whether the store opened. If so it is used and closed again; if not, its files are
    /// unchanged.
    private func opens() throws -> Bool {
        let before = try Self.files(in: test.path)
        do {
            try test.restart()
        } catch {
            let fault = try #require(error as? StoreFault)
            #expect(!fault.description.contains("\n"))
            #expect(try Self.files(in: test.path) == before, "\(fault)")
            return false
        }
        // Its outcome does not matter.
        _ = try test.load(.messages(PageRequest(device: device)))
        for request in [
            LoadRequest.subscriptions(device: device), .credentials, .owners,
            .registration(.all(owner: nil)),
        ] { _ = try test.load(request) }
        let other = KnownUserAgent(
            row: test.store.index.nextDevice(), userAgent: try test.digest(), credential: nil,
            created: 1)
        _ = try test.run(.addDevice(other))
        _ = try test.run(.register(try test.subscription(other.row)))
        _ = try test.run(.removeDevice(device))
        test.close()
        return true
    }

    @Test("A file with changed bytes is either served, or refused and left unchanged")
    func random() throws {
        var generator = SeededGenerator(seed: 17)
        var opened = 0
        for round in 0..<200 {
            var files = round % 2 == 0 ? ended : killed
            let place = files[1].isEmpty || round % 4 < 2 ? 0 : 1
            files[place] = Self.changed(files[place], &generator)
            try put(files)
            if try opens() { opened += 1 }
        }
        #expect((10..<190).contains(opened), "\(opened) of 200 opened")
    }

    private static func changed(_ data: Data, _ generator: inout SeededGenerator) -> Data {
        var data = data
        let pages = data.count / pageSize
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return data.prefix(Int.random(in: 0...data.count, using: &generator))
        case 1:
            let page = Int.random(in: 0..<pages, using: &generator) * pageSize
            for offset in 0..<pageSize {
                data[page + offset] = .random(in: 0...255, using: &generator)
            }
        case 2:
            let (one, other) = (
                Int.random(in: 0..<pages, using: &generator) * pageSize,
                Int.random(in: 0..<pages, using: &generator) * pageSize
            )
            let page = data[one..<one + pageSize]
            data.replaceSubrange(one..<one + pageSize, with: data[other..<other + pageSize])
            data.replaceSubrange(other..<other + pageSize, with: page)
        case 3:
            let place = Int.random(in: 0..<100, using: &generator)
            data[place] ^= UInt8(1) << Int.random(in: 0..<8, using: &generator)
        default:
            for _ in 0..<Int.random(in: 1...50, using: &generator) {
                data[Int.random(in: 0..<data.count, using: &generator)] ^=
                    UInt8(1) << Int.random(in: 0..<8, using: &generator)
            }
        }
        return data
    }

    @Test(
        "A foreign schema, and values that no version wrote, are refused",
        arguments: [
            "CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM message; END",
            "DROP TABLE message; CREATE VIEW message AS SELECT 1 AS position",
            "CREATE TABLE other (x)", "DROP TABLE ended_endpoint", "DROP INDEX message_topic",
            "DROP INDEX credential_name; CREATE INDEX credential_name ON credential (owner, name)",
            "ALTER TABLE device ADD COLUMN more", "PRAGMA user_version = 0",
            "PRAGMA user_version = 3", "PRAGMA user_version = -1", "PRAGMA user_version = 99",
            "DELETE FROM state", "UPDATE state SET position = 9223372036854775807",
            "UPDATE state SET device = 4294967295", "UPDATE state SET time = 'noon'",
            "UPDATE state SET sealed_keys = x''", "UPDATE message SET size = -1",
            "UPDATE message SET expires = -9223372036854775808", "UPDATE message SET id = 'x'",
            "UPDATE subscription SET kind = 99", "UPDATE subscription SET endpoint = x'00'",
            "UPDATE registration SET due = -9223372036854775808",
        ])
    func hostile(sql: String) throws {
        try put(ended)
        try Connection(test.path + "/" + WriterDatabase.fileName, .readWrite).execute(sql)
        #expect(try !opens())
    }

    @Test("A start that was interrupted while it made the file is done again")
    func interrupted() throws {
        try put([])
        try InterruptedDatabase.make(at: test.path + "/" + WriterDatabase.fileName)
        #expect(try opens())
    }

    @Test("Another program's database is refused, and so is a file that is no database")
    func foreign() throws {
        let path = test.path + "/" + WriterDatabase.fileName
        try put([])
        try Connection(path, .readWrite).execute("CREATE TABLE places (url TEXT)")
        #expect(try !opens())
        try put([Data("this is a letter, and no database; it goes on for a little while".utf8)])
        #expect(try !opens())
        // An empty file is a new database.
        try put([])
        #expect(try opens())
    }
}
