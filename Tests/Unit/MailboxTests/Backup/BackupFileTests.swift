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
        for place in whole.count - BackupSeal.length..<whole.count {
            var data = whole
            data[place] ^= 1
            try data.write(to: URL(filePath: path))
            #expect(failure(path) != nil, "\(place)")
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
        try rewrite(later) { try $0.execute("UPDATE backup SET format = 2") }
        #expect(failure(later) == .laterFormat(path: later))
        let schema = try test.backUp("schema")
        try rewrite(schema) { try $0.execute("PRAGMA user_version = 999") }
        #expect(failure(schema) == .laterFormat(path: schema))
        let foreign = try test.backUp("foreign")
        try rewrite(foreign) { try $0.execute("CREATE TABLE other (a)") }
        #expect(failure(foreign)?.description.contains("table other does not belong there") == true)
    }

    /// Changes the database inside, and makes the checksum right again.
    private func rewrite(_ path: String, _ change: (borrowing Connection) throws -> Void) throws {
        var data = try Data(contentsOf: URL(filePath: path)).dropLast(BackupSeal.length)
        try data.write(to: URL(filePath: path))
        do {
            let connection = try Connection(path, .draft)
            try change(connection)
        }
        let digest = try BackupFile.digest(of: path) { _, _, _ in }
        data = try Data(contentsOf: URL(filePath: path)) + Data(BackupSeal.line(digest))
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

        let without = try test.backUp("without", StoreSnapshot.Terms.Protection.none)
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
