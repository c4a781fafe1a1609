import Base
import Crypto
import System

@testable import Mailbox

extension TestStore {
    var keys: BackupKeys {
        get throws {
            guard let keys = BackupKeys([options.masterKey] + options.formerKeys) else {
                throw AnswerBox.Missing()
            }
            return keys
        }
    }

    /// Backs up the store as it is now, while it works.
    @discardableResult
    func backUp(
        _ name: String = "backup", _ protection: StoreSnapshot.Terms.Protection? = nil
    ) throws -> String {
        let path = folder.file(name)
        _ = try StoreSnapshot(of: self.path).write(
            to: path,
            StoreSnapshot.Terms(
                try protection ?? .clear(try keys), made: 1_000, program: "test")
        ) { _, _, _ in }
        return path
    }

    /// Restores the backup in a folder of its own, and goes on there.
    @discardableResult
    func restore(
        _ path: String, to name: String = "restored", former: Bool = false
    ) throws -> Restoration.Report {
        close()
        let report = try Self.restore(
            path, to: folder.file(name), former: former ? FormerStore(self.path) : nil,
            at: clocks.now)
        options.folder = folder.file(name)
        try restart()
        return report
    }

    static func restore(
        _ path: String, to folder: String, former: FormerStore? = nil, at now: ClockReading
    ) throws -> Restoration.Report {
        let backup = try BackupFile(path) { _, _, _ in }
        guard let keys = try backup.keys(nil) else { throw AnswerBox.Missing() }
        try backup.check(keys)
        return try Restoration(of: backup, into: folder).run(
            keys, former: former, at: now
        ) { _, _, _ in }
    }

    static func failure(_ body: () throws -> Void) -> BackupFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? BackupFailure
        }
    }
}
