import Base
import Configuration
import Crypto
import Mailbox
import System

extension Command {
    static let backup = Command(
        name: "backup",
        summary: "copy the store into one file, also while the server runs",
        forms: ["FILE"],
        details: """
            The file has the whole store as it was at one moment: devices, endpoints, waiting
            messages, accounts. An interrupted backup leaves the former file as it was. The store
            cannot be read without its master key, so say what becomes of that key: --with-keys,
            --passphrase-file or --without-keys. bellwire restore makes a store of the file again.

            Run it as the user of the server. It reads the state folder, and needs no server.
            """,
        options: [
            Option("with-keys", help: "put the master key into the file, readable"),
            Option(
                "passphrase-file", "FILE",
                help: "put the master key into the file, sealed under the passphrase in this file"),
            Option(
                "without-keys", help: "leave the master key out; keep a copy of it elsewhere"),
            Option(
                "keep", "NUMBER",
                help: "FILE is a folder: add a backup, check it, and remove all but the newest"),
            Option("verify", help: "check that FILE is whole and that its keys open it"),
        ] + ConfigurationSources.options(of: [.state, .keys]) + [.json],
        examples: [
            Example(
                "bellwire backup --with-keys bellwire.backup",
                help: "copy the store and its master key into one file"),
            Example(
                "bellwire backup --keep 7 --without-keys backups",
                help: "add a backup to the folder backups, and keep the newest seven"),
        ]
    ) { arguments in
        let path = arguments.positional[0]
        return arguments.has("verify")
            ? try verify(path, arguments) : try backUp(path, arguments)
    }

    private static func backUp(_ path: String, _ arguments: Arguments) throws -> ExitCode {
        let choices = ["with-keys", "passphrase-file", "without-keys"].filter(arguments.has)
        guard choices.count == 1 else {
            throw CommandError.usage(
                "say what becomes of the master key",
                hint: "use one of --with-keys, --passphrase-file FILE and --without-keys")
        }
        let passphrase = try Passphrase.read(arguments)
        let series = try BackupSeries(path, arguments)
        let configuration = try ConfigurationSources.read(arguments)
        let progress = Progress(Progress.Form(arguments))
        let file = try series?.next() ?? path
        let snapshot = try snapshot(configuration)
        let protection = protection(arguments, snapshot.keys, passphrase)
        let terms = StoreSnapshot.Terms(
            protection, made: Int64(WallClock.now * 1_000), program: ProgramVersion.text)
        let figures = try snapshot.store.write(to: file, terms, report: progress.report)
        try series?.finish(file, snapshot.keys, passphrase, report: progress.report)
        try progress.end(
            BackupText.made(file, figures, protection, try KeyFolder.masterPath(configuration)),
            BackupText.json("done", file, figures, protection))
        return .success
    }

    private static func protection(
        _ arguments: Arguments, _ keys: BackupKeys, _ passphrase: Secret?
    ) -> StoreSnapshot.Terms.Protection {
        if arguments.has("without-keys") { return .none(keys) }
        guard let passphrase else { return .clear(keys) }
        return .passphrase(passphrase, keys)
    }

    private struct Snapshot: ~Copyable {
        let store: StoreSnapshot
        let keys: BackupKeys
    }

    /// A rotation that begins or ends at this moment is seen by one of the two looks at the keys.
    private static func snapshot(_ configuration: ServerConfiguration) throws -> Snapshot {
        guard SQLiteStore.isThere(in: configuration.state) else {
            throw BackupFailure.noStore(folder: configuration.state)
        }
        try PrivateFolder.check(configuration.state)
        let before = try KeyFolder.masterKeys(configuration)
        let store = try StoreSnapshot(of: configuration.state)
        let after = try KeyFolder.masterKeys(configuration)
        guard let keys = BackupKeys(after + before) else {
            preconditionFailure("a folder without a master key was not refused")
        }
        return Snapshot(store: store, keys: keys)
    }

    private static func verify(_ path: String, _ arguments: Arguments) throws -> ExitCode {
        guard !arguments.has("with-keys"), !arguments.has("without-keys"), !arguments.has("keep")
        else {
            throw CommandError.usage(
                "--verify goes only with --passphrase-file, --state, --keys and --json")
        }
        let passphrase = try Passphrase.read(arguments)
        let progress = Progress(Progress.Form(arguments))
        let backup = try BackupFile(path, report: progress.report)
        let known = try knownKeys(arguments)
        let keys = try backup.keys(passphrase) ?? known
        if let keys { try backup.check(keys) }
        let check = BackupText.Check(
            isOpened: keys != nil, isByOwnKeys: keys.flatMap { keys in known?.shareAny(with: keys) }
        )
        try progress.end(
            BackupText.verified(path, backup, check),
            BackupText.json("verified", path, backup, check))
        return .success
    }

    /// The keys of this server; nil if there are none here.
    private static func knownKeys(_ arguments: Arguments) throws -> BackupKeys? {
        // Whoever checks a backup on another machine has neither a configuration nor keys there.
        guard let configuration = try? ConfigurationSources.read(arguments),
            let keys = try? KeyFolder.masterKeys(configuration)
        else { return nil }
        return BackupKeys(keys)
    }
}

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
