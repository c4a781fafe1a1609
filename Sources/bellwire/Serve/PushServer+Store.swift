import Configuration
import Crypto
import Mailbox
import System

/// The store of the server, and the keys that it is sealed under.
extension PushServer {
    static func store(
        _ configuration: ServerConfiguration, _ folder: StateFolder, _ keys: KeyFolder,
        _ node: ClusterNode?, _ checkout: Checkout?, _ log: Log
    ) throws -> SQLiteStore {
        let earlier = try keys.earlierKeys(of: checkout ?? .ofThisProgram)
        var options = SQLiteStore.Options(
            folder: configuration.state, masterKey: try earlier?.master ?? keys.masterKey(log))
        options.lock = folder
        options.templates = LanguageTable.templates()
        let former = try earlier.map(\.former) ?? keys.formerMasterKey()
        options.formerKeys =
            node == nil ? [former].compactMap(\.self) : Array(try keys.clusterKeys().dropFirst())
        options.setAside = { folder in Self.setAside(folder, log) }
        // The keys of a cluster are put into place by its operator.
        if node == nil { options.onResealed = { Self.endRotation(keys, unopened: $0, log) } }
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
            store = try node?.openStore(options, log) ?? SQLiteStore(options)
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
}
