import Base
import Crypto
import Mailbox
import System

/// A folder of backups, of which the newest are kept. Their names have the time, so that they are in
/// order.
struct BackupSeries {
    private static let start = "bellwire-"
    private static let ending = ".backup"

    private let folder: String
    private let count: Int

    /// Nil unless `--keep` was given.
    init?(_ folder: String, _ arguments: Arguments) throws {
        guard let text = arguments["keep"] else { return nil }
        guard let count = Int(text), count > 0 else {
            throw CommandError.usage("--keep takes a number above zero")
        }
        self.folder = folder
        self.count = count
    }

    /// The path of the next backup. The folder is made if it is missing.
    func next() throws -> String {
        try PrivateFolder.make(folder)
        let time = CivilTime(secondsSince1970: Int64(WallClock.now)).rfc3339
        return path(Self.start + time.filter { $0 != "-" && $0 != ":" } + Self.ending)
    }

    /// Checks the new backup, and only then removes the oldest ones.
    func finish(
        _ file: String, _ keys: BackupKeys, _ passphrase: Secret?, report: BackupReport
    ) throws {
        let backup = try BackupFile(file, report: report)
        try backup.check(try backup.keys(passphrase) ?? keys)
        let names = try FolderNames.all(in: folder)
        for name in Self.backups(in: names).dropLast(count) { try KeyFile.remove(path(name)) }
        // What an interrupted backup has left. One that is under way keeps its draft.
        for name in names where name.hasSuffix(Self.ending + DraftFile.ending) {
            _ = try? DraftFile(for: path(String(name.dropLast(DraftFile.ending.count))))
        }
    }

    /// Those that were made here, the oldest first.
    private static func backups(in names: [String]) -> [String] {
        names.filter { name in
            let time = name.dropFirst(start.count).dropLast(ending.count)
            return name.hasPrefix(start) && name.hasSuffix(ending) && time.count == 16
                && time.utf8.allSatisfy { $0 == 84 || $0 == 90 || (48...57).contains($0) }
        }.sorted()
    }

    private func path(_ name: String) -> String { folder + "/" + name }
}
