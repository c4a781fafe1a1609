import API
import Configuration
import Crypto
import Mailbox
import System

/// The store of the server, and the keys that it is sealed under.
extension PushServer {
    static func store(
        _ configuration: ServerConfiguration, _ folder: StateFolder, _ keys: KeyFolder,
        _ node: ClusterNode?, _ log: Log
    ) throws -> SQLiteStore {
        var options = SQLiteStore.Options(
            folder: configuration.state, masterKey: try keys.masterKey(log))
        options.lock = folder
        options.templates = LanguageTable.templates()
        options.formerKeys =
            node == nil
            ? [try keys.formerMasterKey()].compactMap(\.self)
            : Array(try keys.clusterKeys().dropFirst())
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
        let store = try node?.openStore(options, log) ?? SQLiteStore(options)
        let report = store.report
        log.write(
            .info, "store-opened",
            [
                ("folder", configuration.state), ("devices", "\(report.devices)"),
                ("endpoints", "\(report.endpoints)"), ("messages", "\(report.messages)"),
            ])
        return store
    }

    /// If the file cannot be used, the server serves everything.
    private static func setAside(_ folder: String, _ log: Log) -> SetAsideInputs {
        do throws(SystemError) {
            let finding = try CrashFile.open(in: folder)
            SetAsideReport.write(finding, log)
            return finding.setAside
        } catch {
            log.write(.warning, "cannot-set-aside", [("reason", error.description)])
            return SetAsideInputs()
        }
    }
}

/// A change of the master key while the server runs.
extension PushServer {
    static func control(
        _ baseURL: BaseURL, _ store: SQLiteStore, _ keys: KeyFolder, _ node: ClusterNode?,
        _ move: ServerMove, _ log: Log
    ) -> ControlSettings {
        guard let node else {
            return ControlSettings(
                baseURL: baseURL,
                rotateMasterKey: { try rotateMasterKey(of: store, keys, log) },
                rotation: { MasterKeyRotation(progress: store.resealing) },
                move: { move.handle($0) })
        }
        let rotation = node.rotation
        return ControlSettings(
            baseURL: baseURL,
            rotateMasterKey: { try ClusterNode.beginRotation(rotation, keys, log) },
            rotation: {
                let status = rotation?.status
                let progress = store.resealing ?? ResealingProgress(done: 0, total: 0)
                return MasterKeyRotation(
                    progress: status?.isUnderWay == true ? progress : nil, isShared: true,
                    unopened: status?.unopened ?? 0, failure: status?.failure)
            }, move: { move.handle($0) })
    }

    private static func rotateMasterKey(
        of store: SQLiteStore, _ keys: KeyFolder, _ log: Log
    ) throws -> String {
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
    static func endRotation(_ keys: KeyFolder, unopened: Int, _ log: Log) {
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

extension RemoteStore {
    /// The file with the credentials, if there has to be one or is one. Refuses a file that others
    /// can read.
    func checkedCredentials() throws -> String? {
        guard let credentials, isCredentialsNamed || FileStamp(of: credentials) != nil else {
            return nil
        }
        _ = try KeyFile.read(credentials)
        return credentials
    }
}
