import API
import Configuration
import Crypto
import Mailbox
import System

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
