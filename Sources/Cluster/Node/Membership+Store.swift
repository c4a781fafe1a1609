import Crypto
import Glibc
package import Mailbox
import System

/// The store of a node.
extension Membership {
    /// Opens the node's store, which follows the log. `node` is its name there. Blocks until it has
    /// everything that the others have.
    package func openStore(
        _ options: SQLiteStore.Options, node: String
    ) throws -> SQLiteStore {
        var options = options
        let offset = clockOffset
        options.reading = {
            // The clock of this machine may be wrong; that of the servers is the same for all.
            let now = Boot.milliseconds
            return ClockReading(boot: nil, sinceBoot: now, wall: now + offset)
        }
        options.log = LogSource(log: log, node: node, origin: try origin(options))
        do throws(StoreFault) { return try SQLiteStore(options) } catch {
            guard error == .behind else { throw error }
        }
        try replaceStore(in: options.folder)
        return try SQLiteStore(options)
    }

    private func origin(_ options: SQLiteStore.Options) throws -> StoreOrigin {
        let made = try StoreOrigin(
            wall: Boot.milliseconds + clockOffset, masterKey: options.masterKey)
        let identity = try record.identity { () throws(ClusterFault) in
            ClusterRecord.Identity(key: made.sealedEndpointKey, origin: made.wall)
        }
        return StoreOrigin(wall: identity.origin, sealedEndpointKey: identity.key)
    }

    /// The log begins after what the store has, so the store becomes a copy of another one.
    private func replaceStore(in folder: String) throws {
        let path = StoreCopy.store(in: folder)
        let draft = path + ".snapshot"
        unlink(draft)
        guard try newestSnapshot(to: draft) != nil else { throw StoreFault.behind }
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        guard rename(draft, path) == 0 else {
            throw ClusterFault.file(SystemError("rename"))
        }
    }
}
