import Base
import Crypto
import Foundation
import SQLite
import System
import TestSupport
import Testing

@testable import Mailbox

@Suite("Backups as files")
struct BackupFileTests {
    private func filled() throws -> TestStore {
        let test = try TestStore()
        let address = try test.register(try test.addDevice()).address
        for number in 0..<40 { try test.keep(address, String(repeating: "\(number)", count: 300)) }
        return test
    }

    private func failure(_ path: String) -> BackupFailure? {
        TestStore.failure { _ = try BackupFile(path) { _, _, _ in } }
    }

    private func secret(_ text: String) -> Secret { Secret(Array(text.utf8).span) }

    @Test(
        "It is a database that other programs can read, and only its owner may",
        .alone("the other store has a folder there"))
    func database() throws {
        let test = try filled()
        let path = try test.backUp()
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        let connection = try Connection(path, .readOnly)
        #expect(try connection.integer("SELECT count(*) FROM message") == 40)
        #expect(try connection.integer("SELECT made FROM backup") == 1_000)
        #expect(try connection.damage(.thorough) == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
        #expect(names.sorted() == ["backup", "state"])
        let backup = try BackupFile(path) { _, _, _ in }
        #expect(backup.figures == StoreFigures(devices: 0, endpoints: 1, messages: 40))
        #expect(backup.header.program == "test" && backup.header.protection == .clear)
    }

    @Test("A backup that is cut anywhere is refused")
    func cut() throws {
        let test = try filled()
        let whole = try Data(contentsOf: URL(filePath: try test.backUp()))
        let path = test.folder.file("cut")
        for length in Array(stride(from: 0, to: whole.count, by: 1_789)) + [whole.count - 1] {
            try whole.prefix(length).write(to: URL(filePath: path))
            let expected: BackupFailure = length < 16 ? .notABackup(path: path) : .cut(path: path)
            #expect(failure(path) == expected, "\(length)")
        }
        try (whole + Data("\n".utf8)).write(to: URL(filePath: path))
        #expect(failure(path) == .cut(path: path))
        try whole.write(to: URL(filePath: path))
        #expect(failure(path) == nil)
    }

    @Test("A backup that was changed anywhere is refused")
    func changed() throws {
        let test = try filled()
        let whole = try Data(contentsOf: URL(filePath: try test.backUp()))
        let path = test.folder.file("changed")
        for place in stride(from: 0, to: whole.count - BackupSeal.length, by: 1_789) {
            var data = whole
            data[place] ^= 1
            try data.write(to: URL(filePath: path))
            #expect(failure(path) == .changed(path: path), "\(place)")
        }
        let keys = try test.keys
        for place in whole.count - BackupSeal.length..<whole.count {
            var data = whole
            data[place] ^= 1
            try data.write(to: URL(filePath: path))
            let found = TestStore.failure { try BackupFile(path) { _, _, _ in }.check(keys) }
            #expect(found != nil, "\(place)")
        }
    }

    @Test("Other files are no backups, and one made by a later version is named as such")
    func others() throws {
        let test = try filled()
        let (text, folder) = (test.folder.file("text"), test.path)
        try Data(String(repeating: "text\n", count: 100).utf8).write(to: URL(filePath: text))
        #expect(failure(text) == .notABackup(path: text))
        let missing = test.folder.file("missing")
        guard case .system(missing, let error) = failure(missing) else {
            Issue.record("a missing file was read")
            return
        }
        #expect(error.isMissingFile)
        guard case .system(folder, _) = failure(folder) else {
            Issue.record("a folder was read")
            return
        }
        let later = try test.backUp("later")
        try rewrite(later) { try $0.execute("UPDATE backup SET format = 3") }
        #expect(failure(later) == .laterFormat(path: later))
        let earlier = try test.backUp("earlier")
        try rewrite(earlier) { try $0.execute("UPDATE backup SET format = 1") }
        #expect(failure(earlier) == .earlierFormat(path: earlier))
        let former = try test.backUp("former")
        try rewrite(former) { try $0.execute("PRAGMA user_version = \(Schema.first - 1)") }
        #expect(failure(former) == .earlierFormat(path: former))
        let schema = try test.backUp("schema")
        try rewrite(schema) { try $0.execute("PRAGMA user_version = 999") }
        #expect(failure(schema) == .laterFormat(path: schema))
        let foreign = try test.backUp("foreign")
        try rewrite(foreign) { try $0.execute("CREATE TABLE other (a)") }
        #expect(failure(foreign)?.description.contains("table other does not belong there") == true)
    }

    /// The check is made with every key that is known, and fails before anything is restored.
    @Test(
        "A backup in which somebody else became the owner is whole, and not authentic",
        arguments: [
            "UPDATE credential SET owner = (SELECT row FROM owner WHERE name = 'bob')",
            "UPDATE registration SET owner = 'bob'", "DELETE FROM ended_endpoint",
            "UPDATE owner SET name = 'eve' WHERE name = 'bob'", "UPDATE backup SET made = 2",
        ])
    func authentic(sql: String) throws {
        let test = try TestStore()
        for (name, owner) in [("desk", "ann"), ("phone", "bob")] {
            let credential = DeviceCredential(
                row: test.store.index.nextCredential(), secret: try test.digest(), name: name,
                owner: owner, created: 1)
            try test.expectDone(.addCredential(credential))
        }
        let (_, target) = try test.addRegistration(owner: "ann")
        _ = try test.receive(target.address, "for ann")
        let other = try test.register(try test.addDevice())
        try test.expectDone(.unregister(subscription: other.address.subscription))
        let (keys, passphrase) = (try test.keys, secret("correct horse"))
        let protections: [StoreSnapshot.Terms.Protection] = [
            .clear(keys), .passphrase(passphrase, keys, .none), .none(keys),
        ]
        for (number, protection) in protections.enumerated() {
            let path = try test.backUp("backup\(number)", protection)
            try BackupFile(path) { _, _, _ in }.check(keys)
            try rewrite(path) { try $0.execute(sql) }
            let backup = try BackupFile(path) { _, _, _ in }
            #expect(TestStore.failure { try backup.check(keys) } == .notAuthentic(path: path))
        }
        #expect(
            TestStore.failure {
                _ = try TestStore.restore(
                    test.folder.file("backup0"), to: test.folder.file("restored"),
                    at: test.clocks.now)
            } == .notAuthentic(path: test.folder.file("backup0")))
        #expect(!FileManager.default.fileExists(atPath: test.folder.file("restored")))
    }

    @Test("A backup that is exchanged after its check is not restored")
    func exchanged() throws {
        let test = try filled()
        let (path, other) = (try test.backUp("first"), try test.backUp("other"))
        try rewrite(other) { try $0.execute("DELETE FROM message") }
        let backup = try BackupFile(path) { _, _, _ in }
        try backup.check(try test.keys)
        try Data(contentsOf: URL(filePath: other)).write(to: URL(filePath: path))
        let folder = test.folder.file("restored")
        let failure = TestStore.failure {
            _ = try Restoration(of: backup, into: folder).run(
                try test.keys, former: nil, at: test.clocks.now
            ) { _, _, _ in }
        }
        #expect(failure == .changed(path: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["lock"])
    }

    @Test("The code of a backup outlasts the master key, and that of another backup does not fit")
    func outlasts() throws {
        let test = try filled()
        let first = try test.backUp("first")
        test.options.formerKeys = [test.options.masterKey]
        test.options.masterKey = try MasterKey.generate()
        try test.restart()
        let second = try test.backUp("second")
        for path in [first, second] { try BackupFile(path) { _, _, _ in }.check(try test.keys) }
        let bytes = try Data(contentsOf: URL(filePath: second)).suffix(BackupSeal.length)
        let seal = try #require(BackupSeal(line: Array(bytes)))
        try rewrite(first, seal) { _ in }
        let mixed = TestStore.failure { _ = try BackupFile(first) { _, _, _ in } }
        #expect(mixed == .changed(path: first))
    }

    /// Changes the database inside, and makes the checksum right again; or writes another seal.
    private func rewrite(
        _ path: String, _ seal: BackupSeal? = nil,
        _ change: (borrowing Connection) throws -> Void
    ) throws {
        var data = try Data(contentsOf: URL(filePath: path)).dropLast(BackupSeal.length)
        try data.write(to: URL(filePath: path))
        do {
            let connection = try Connection(path, .draft)
            try change(connection)
        }
        let digest = try BackupFile.digest(of: path) { _, _, _ in }
        let line = (seal ?? BackupSeal(digest, code: digest)).line
        data = try Data(contentsOf: URL(filePath: path)) + Data(line)
        try data.write(to: URL(filePath: path))
    }

    @Test("The master key is in it in clear, under a passphrase, or not at all")
    func protection() throws {
        let test = try filled()
        let (keys, passphrase) = (try test.keys, secret("correct horse"))
        let key = keys.master.withBytes { Data($0.array($0.indices)) }
        func content(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

        let clear = try test.backUp("clear")
        #expect(try content(clear).range(of: key) != nil)
        let open = try BackupFile(clear) { _, _, _ in }
        #expect(try open.keys(nil)?.master.id == keys.master.id)
        #expect(
            TestStore.failure { _ = try open.keys(passphrase) } == .noPassphrase(path: clear))

        let sealed = try test.backUp("sealed", .passphrase(passphrase, keys, .none))
        #expect(try content(sealed).range(of: key) == nil)
        #expect(try content(sealed).range(of: Data("correct horse".utf8)) == nil)
        let closed = try BackupFile(sealed) { _, _, _ in }
        #expect(try closed.keys(passphrase)?.master.id == keys.master.id)
        #expect(
            TestStore.failure { _ = try closed.keys(nil) } == .needsPassphrase(path: sealed))
        #expect(
            TestStore.failure { _ = try closed.keys(secret("correct house")) }
                == .wrongPassphrase(path: sealed))

        let without = try test.backUp("without", .none(keys))
        #expect(try content(without).range(of: key) == nil)
        let bare = try BackupFile(without) { _, _, _ in }
        #expect(try bare.keys(nil) == nil)
        try bare.check(keys)
        let other = try #require(BackupKeys([try MasterKey.generate()]))
        #expect(TestStore.failure { try bare.check(other) } == .wrongKeys(path: without))
    }

    @Test("Keys that do not open the store are not put into a backup")
    func wrongKeys() throws {
        let test = try filled()
        let other = try #require(BackupKeys([try MasterKey.generate()]))
        let failure = TestStore.failure { try test.backUp("wrong", .clear(other)) }
        #expect(failure == .store(.wrongMasterKey))
        #expect(!FileManager.default.fileExists(atPath: test.folder.file("wrong")))
        #expect(!FileManager.default.fileExists(atPath: test.folder.file("wrong.new")))
    }

    @Test("During a rotation of the master key both keys are in the backup")
    func rotation() throws {
        let test = try filled()
        let former = test.options.masterKey
        test.options.masterKey = try MasterKey.generate()
        test.options.formerKeys = [former]
        let path = try test.backUp()
        let backup = try BackupFile(path) { _, _, _ in }
        let keys = try #require(try backup.keys(nil))
        #expect(keys.former.map(\.id) == [former.id])
        try backup.check(keys)
        let current = try #require(BackupKeys([keys.master]))
        #expect(TestStore.failure { try backup.check(current) } == .wrongKeys(path: path))
    }

    @Test("A backup replaces a backup and nothing else, and two do not write at once")
    func replacing() throws {
        let test = try filled()
        let path = try test.backUp()
        try test.backUp()
        #expect(failure(path) == nil)
        let text = test.folder.file("text")
        try Data("mine".utf8).write(to: URL(filePath: text))
        #expect(TestStore.failure { try test.backUp("text") } == .exists(path: text))
        let store = test.path + "/bellwire.db"
        #expect(TestStore.failure { try test.backUp("state/bellwire.db") } == .exists(path: store))
        #expect(try String(contentsOfFile: text, encoding: .utf8) == "mine")
        let draft = try DraftFile(for: path)
        #expect(TestStore.failure { try test.backUp() } == .beingWritten(path: path))
        withExtendedLifetime(draft) {}
    }
}
