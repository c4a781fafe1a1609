import Crypto
import Glibc
package import Mailbox
import System

/// The store of a node.
extension Membership {
    private static let pause: UInt32 = 500

    /// Opens the node's store, which follows the log. `node` is its name there. Blocks until it has
    /// everything that the others have.
    package func openStore(
        _ options: SQLiteStore.Options, node: String
    ) throws -> SQLiteStore {
        var options = options
        let offset = clockOffset
        options.reading = { ClockReading(clockOffset: offset) }
        let keys = Set(([options.masterKey] + options.formerKeys).map(\.id))
        // Before it reads what the others have agreed on, they can hear what it can follow.
        record.tell { NodeTerms(schema: CommitEntry.knownSchema, keys: keys) }
        try SchemaAgreement(record: record).reach()
        options.log = LogSource(log: log, node: node, origin: try origin(&options))
        let store = try open(options)
        record.tell { [weak store] in
            NodeTerms(
                schema: CommitEntry.knownSchema, keys: store?.knownKeys ?? keys,
                sealingKey: store?.sealingKey)
        }
        return store
    }

    private func open(_ options: SQLiteStore.Options) throws -> SQLiteStore {
        do {
            do throws(StoreFault) { return try SQLiteStore(options) } catch {
                guard error == .behind else { throw error }
            }
            try replaceStore(in: options.folder)
            return try SQLiteStore(options)
        } catch let fault as StoreFault {
            // The key of the cluster is there, so it is a former one that is missing.
            throw fault == .wrongMasterKey ? ClusterFault.lacksFormerKey : fault
        }
    }

    /// Chooses the key under which the cluster seals among those that are there.
    private func origin(_ options: inout SQLiteStore.Options) throws -> StoreOrigin {
        let made = try makeOrigin(options)
        let identity = try record.identity { () throws(ClusterFault) in
            guard let made else { throw .noAnswer }
            return ClusterRecord.Identity(key: made.sealedKeys, origin: made.wall)
        }
        guard let id = identity.sealingKey else {
            throw ClusterFault.otherStream(ClusterRecord.stream)
        }
        let keys = [options.masterKey] + options.formerKeys
        guard let current = keys.first(where: { $0.id == id }) else {
            throw ClusterFault.lacksKey(id)
        }
        options.masterKey = current
        options.formerKeys = keys.filter { $0.id != id }
        return StoreOrigin(wall: identity.origin, sealedKeys: identity.key)
    }

    /// Nil if that was made.
    private func makeOrigin(_ options: SQLiteStore.Options) throws -> StoreOrigin? {
        let ending = try logEnding()
        if case .end(let node)? = ending.boundary { throw ClusterFault.ended(node: node) }
        if try hasIdentity() { return nil }
        if ending.isVirgin {
            return try StoreOrigin(
                wall: Boot.milliseconds + clockOffset, masterKey: options.masterKey)
        }
        // The server that was asked may not have heard of it yet.
        WorkPause.milliseconds(Self.pause)
        if try hasIdentity() { return nil }
        guard case .begin(let mark)? = ending.boundary else {
            throw ending.isEmpty ? ClusterFault.emptied : .otherStream(LogFeed.stream)
        }
        guard let place = try StorePlace(in: options.folder), place.applied == ending.state.last,
            try StoreMark.text(of: place) == mark
        else { throw ClusterFault.arriving }
        return StoreOrigin(
            wall: Boot.milliseconds + clockOffset - place.time(at: reading).milliseconds,
            sealedKeys: place.sealedKeys)
    }

    var reading: ClockReading { ClockReading(clockOffset: clockOffset) }

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

extension ClockReading {
    /// By the cluster's time: the clock of this machine may be wrong, and that of the servers is the
    /// same for all.
    init(clockOffset: Int64) {
        let now = Boot.milliseconds
        self.init(boot: nil, sinceBoot: now, wall: now + clockOffset)
    }
}
