import Base
import Configuration
import Crypto
import Mailbox
import System

extension Command {
    static let restore = Command(
        name: "restore",
        summary: "make a store of a backup, in a folder that has none",
        forms: ["FILE"],
        details: """
            Every endpoint works again as it did when the backup was made, and the messages of the
            backup are delivered again under their ids. Endpoints that are newer than the backup
            answer 503 for 30 days, so that no sender forgets them.

            The backup does not know what ended after it was made. If you still have the state
            folder in which the server went on, name it by --former: what ended there does not come
            back. Without it, no device and no token is let in before you confirm it by bellwire
            device confirm or bellwire token confirm.

            Run it as the user of the server, while no server uses the folder.
            """,
        options: [
            Option(
                "passphrase-file", "FILE",
                help: "the file with the passphrase that the master key is sealed under"),
            Option(
                "former", "FOLDER", help: "the state folder in which the server went on; only read"),
        ] + ConfigurationSources.options(of: [.state, .keys]) + [.json],
        examples: [
            Example("bellwire restore bellwire.backup", help: "make a store of a backup"),
            Example(
                "bellwire restore bellwire.backup --former ~/bellwire-before",
                help: "also end what ended in the former state folder"),
        ]
    ) { arguments in
        let path = arguments.positional[0]
        let passphrase = try Passphrase.read(arguments)
        let configuration = try ConfigurationSources.read(arguments)
        guard configuration.remoteStore == nil else {
            throw CommandError.usage(
                "a store that nodes share cannot be restored from a backup",
                hint: "restore it into a folder of its own, with store = sqlite")
        }
        let progress = Progress(Progress.Form(arguments))
        guard !SQLiteStore.isThere(in: configuration.state) else {
            throw BackupFailure.storeIsThere(folder: configuration.state)
        }
        let former = try arguments["former"].map { folder throws(BackupFailure) in
            try FormerStore(folder)
        }
        let backup = try BackupFile(path, report: progress.report)
        let keys = try backup.keys(passphrase) ?? storedKeys(configuration)
        try backup.check(keys)
        try PrivateFolder.make(configuration.state, mode: 0o750)
        let restoration = try Restoration(of: backup, into: configuration.state)
        // A start between the two finds the keys and no store, and a restore can be run again.
        try KeyFolder(configuration).place(keys)
        let report = try restoration.run(
            keys, former: former, at: .now(), report: progress.report)
        try progress.end(
            BackupText.restored(configuration.state, report),
            BackupText.json(configuration.state, report))
        return .success
    }

    /// The keys for a backup that has none.
    private static func storedKeys(_ configuration: ServerConfiguration) throws -> BackupKeys {
        guard
            FileStamp(of: configuration.ownKeys + "/master.json") != nil
                || Environment["CREDENTIALS_DIRECTORY"] != nil,
            let keys = BackupKeys(try KeyFolder.masterKeys(configuration))
        else {
            throw CommandError(
                message: "the master key is not in the backup",
                hint: "put the copy of it at \(configuration.ownKeys)/master.json first")
        }
        return keys
    }
}

/// The passphrase of a backup, which is only ever read from a file.
enum Passphrase {
    private static let shortest = 8

    /// Nil if none is named.
    static func read(_ arguments: Arguments) throws -> Secret? {
        guard let path = arguments["passphrase-file"] else { return nil }
        var bytes = try KeyFile.read(path)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard bytes.count >= shortest else {
            throw CommandError.usage(
                "the passphrase in \(path) is shorter than \(shortest) characters",
                hint: "choose several words")
        }
        return Secret(bytes.span)
    }
}
