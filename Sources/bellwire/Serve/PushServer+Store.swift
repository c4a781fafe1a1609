import Configuration
import Crypto
import Mailbox
import System

/// The store of the server, and the keys that it is sealed under.
extension PushServer {
    static func store(
        _ configuration: ServerConfiguration, _ keys: KeyFolder, _ node: ClusterNode?,
        _ checkout: Checkout?, _ log: Log
    ) throws -> SQLiteStore {
        let earlier = try keys.earlierKeys(of: checkout ?? .ofThisProgram)
        var options = SQLiteStore.Options(
            folder: configuration.state, masterKey: try earlier?.master ?? keys.masterKey(log))
        options.templates = LanguageTable.templates()
        let former = try earlier.map(\.former) ?? keys.formerMasterKey()
        options.formerKeys = [former].compactMap(\.self)
        options.setAside = { folder in Self.setAside(folder, log) }
        options.onResealed = { Self.endRotation(keys, unopened: $0, log) }
        options.onFault = { log.write(.error, "store-fault", [("reason", $0.description)]) }
        options.onExpiredActions = { count in
            log.write(.info, "actions-expired", [("count", "\(count)")])
        }
        options.onUpgrade = { step in
            log.write(
                .info, "store-upgrading",
                [("step", step.name), ("number", "\(step.number)"), ("of", "\(step.last)")])
        }
        let store = try open(options, keys, earlier, node, log)
        let report = store.report
        log.write(
            .info, "store-opened",
            [
                ("folder", configuration.state), ("devices", "\(report.devices)"),
                ("endpoints", "\(report.endpoints)"), ("messages", "\(report.messages)"),
            ])
        return store
    }

    /// Earlier keys that open the store are taken over.
    private static func open(
        _ options: SQLiteStore.Options, _ keys: KeyFolder, _ earlier: EarlierKeys?,
        _ node: ClusterNode?, _ log: Log
    ) throws -> SQLiteStore {
        let store: SQLiteStore
        do {
            store = try node?.openStore(options) ?? SQLiteStore(options)
        } catch let error as StoreFault {
            // The keys of that checkout belong to another store.
            if earlier != nil, error == .wrongMasterKey { throw keys.missing }
            throw error
        }
        guard let earlier else { return store }
        do {
            try keys.takeOver(earlier)
        } catch {
            store.close()
            throw error
        }
        log.write(
            .warning, "keys-taken-over",
            [
                ("from", earlier.folder), ("to", keys.writable),
                ("advice", "they are used there from now on; the files here are only copies"),
            ])
        return store
    }

    /// If the file cannot be used, the server serves everything.
    private static func setAside(_ folder: String, _ log: Log) -> SetAside {
        do throws(SystemError) {
            let finding = try CrashFile.open(in: folder)
            SetAsideReport.write(finding, log)
            return finding.setAside
        } catch {
            log.write(.warning, "cannot-set-aside", [("reason", error.description)])
            return SetAside()
        }
    }

    static func rotateMasterKey(
        of store: SQLiteStore, _ keys: KeyFolder, isShared: Bool, _ log: Log
    ) throws -> String {
        guard !isShared else {
            throw CommandError.usage(
                "the master key of a cluster cannot be changed while its nodes run",
                hint: "each node would need the new key before another one uses it")
        }
        do {
            let key = try keys.rotateMasterKey()
            store.rotate(to: key)
            let id = StoredKey.master(key).publicParts[0].value
            log.write(.info, "master-key-made", [("id", id)])
            return id
        } catch {
            log.write(.error, "master-key-kept", [("reason", CommandError(error).message)])
            throw error
        }
    }

    /// Rows that could not be unsealed may still be readable with the previous key.
    private static func endRotation(_ keys: KeyFolder, unopened: Int, _ log: Log) {
        guard unopened == 0 else {
            return log.write(
                .error, "former-key-kept",
                [
                    ("rows", "\(unopened)"),
                    ("reason", "they cannot be unsealed: the database is damaged"),
                    ("hint", "to give them up, stop the server and remove \(keys.formerPath)"),
                ])
        }
        do {
            try keys.dropFormerMasterKey()
            log.write(.info, "store-resealed")
        } catch {
            // The next start tries again.
            log.write(.error, "former-key-kept", [("reason", CommandError(error).message)])
        }
    }
}
