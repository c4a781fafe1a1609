import Crypto
import Glibc
package import Mailbox
import System

/// The store of a node.
extension ClusterConnection {
    private static let pause: UInt32 = 500
    /// How long the leading node may take to make a copy of its store, in milliseconds.
    private static let copyPatience: Int64 = 60_000

    /// Opens the node's store, which follows the log. `node` is its name there. Blocks until the
    /// store has everything that the others have. `report` gets what is worth a line in the
    /// program's log.
    package func openStore(
        _ options: SQLiteStore.Options, node: String, _ report: ClusterUpkeep.Report = { _ in }
    ) throws -> SQLiteStore {
        var options = options
        let offset = clockOffset
        options.reading = { ClockReading(clockOffset: offset) }
        let keys = Set(([options.masterKey] + options.formerKeys).map(\.id))
        // The other nodes have to hear what this one can follow before it reads their schema.
        state.tell { NodeReport(schema: CommitEntry.knownSchema, keys: keys) }
        try SchemaAgreement(state: state).reach()
        options.log = LogSource(
            log: log, node: node, origin: try origin(&options), peers: peers)
        try checkLog(for: options.folder)
        let store = try open(options, report)
        state.tell { [weak store, weak self] in
            var report = NodeReport(
                schema: CommitEntry.knownSchema, keys: store?.knownKeys ?? keys,
                sealingKey: store?.sealingKey)
            report.tables = self?.tableDigests.withLock { $0 }
            return report
        }
        state.standForLead()
        return store
    }

    private func open(
        _ options: SQLiteStore.Options, _ report: ClusterUpkeep.Report
    ) throws -> SQLiteStore {
        do {
            if let entry = WantedCopy.entry(in: options.folder) {
                try replaceStore(in: options.folder, having: entry)
                WantedCopy.forget(in: options.folder)
            }
            do throws(StoreFault) { return try SQLiteStore(options) } catch {
                switch error {
                case .behind: try replaceStore(in: options.folder)
                case .differs(let difference):
                    report(.differs(difference))
                    try replaceStore(in: options.folder, having: difference.entry)
                default: throw error
                }
            }
            return try SQLiteStore(options)
        } catch let fault as StoreFault {
            // The key of the cluster is there, so a former one is missing.
            throw fault == .wrongMasterKey ? ClusterFault.lacksFormerKey : fault
        }
    }

    /// Chooses, among the keys that are there, the one under which the cluster seals.
    private func origin(_ options: inout SQLiteStore.Options) throws -> StoreOrigin {
        let made = try makeOrigin(options)
        let identity = try state.identity { () throws(ClusterFault) in
            guard let made else { throw .noAnswer }
            return ClusterState.Identity(key: made.sealedKeys, origin: made.wall)
        }
        guard let id = identity.sealingKey else {
            throw ClusterFault.otherStream(ClusterState.stream)
        }
        let keys = [options.masterKey] + options.formerKeys
        guard let current = keys.first(where: { $0.id == id }) else {
            throw ClusterFault.lacksKey(id)
        }
        options.masterKey = current
        options.formerKeys = keys.filter { $0.id != id }
        return StoreOrigin(wall: identity.origin, sealedKeys: identity.key)
    }

    /// Nil if another node has made the identity.
    private func makeOrigin(_ options: SQLiteStore.Options) throws -> StoreOrigin? {
        let ending = try logEnding()
        if case .end(let node)? = ending.boundary { throw ClusterFault.ended(node: node) }
        if try hasIdentity() { return nil }
        if ending.isVirgin {
            return try StoreOrigin(
                wall: Boot.milliseconds + clockOffset, masterKey: options.masterKey)
        }
        // The server that was asked may not have heard of the identity yet.
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

    /// Replaces the store by a copy of another one, which has everything up to `entry`. The log
    /// begins after what the store has, or the store is not like the others.
    private func replaceStore(in folder: String, having entry: Int64 = 0) throws {
        let path = StoreCopy.store(in: folder)
        let draft = path + ".snapshot"
        unlink(draft)
        try awaitCopy(having: entry)
        guard try newestSnapshot(to: draft) != nil else { throw StoreFault.behind }
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        guard rename(draft, path) == 0 else {
            throw ClusterFault.file(SystemError("rename"))
        }
    }
}

extension ClusterConnection {
    /// Waits for a copy that has this entry. The leading node makes one for a node that tells that
    /// it waits.
    private func awaitCopy(having entry: Int64) throws {
        guard entry > 0 else { return }
        state.tell { NodeReport(schema: CommitEntry.knownSchema, wantedCopy: entry) }
        let deadline = Boot.milliseconds + Self.copyPatience
        while try newestSnapshotNumber() ?? 0 < entry {
            guard Boot.milliseconds < deadline else { throw ClusterFault.noCopy(having: entry) }
            WorkPause.milliseconds(Self.pause)
        }
    }
}

extension ClockReading {
    /// By the time of the servers, which is the same for all nodes. The clock of this machine may
    /// be wrong.
    init(clockOffset: Int64) {
        let now = Boot.milliseconds
        self.init(boot: nil, sinceBoot: now, wall: now + clockOffset)
    }
}

/// Lets a node begin when all nodes can follow what it writes.
///
/// The schema of a store has a number, which only newer versions of the program raise. Each node
/// writes in the schema that it knows. So the first node of a newer schema waits until all living
/// nodes know that schema, and writes down that nodes of older ones must not begin any more.
struct SchemaAgreement {
    /// In milliseconds. After this time, heartbeats of all nodes have come.
    private static let hearing: UInt32 = 5_000
    private static let patience: Int64 = 20_000
    private static let pause: UInt32 = 200

    let state: ClusterState
    var known = CommitEntry.knownSchema

    /// Blocks for some seconds, if the schema of the cluster is not the known one.
    func reach() throws(ClusterFault) {
        let found = try state.schema() ?? CommitEntry.firstSchema
        guard found != known else { return }
        guard found < known else { throw .olderProgram(found: found, known: known) }
        let end = Boot.milliseconds + Self.patience
        WorkPause.milliseconds(Self.hearing)
        while true {
            let older = state.nodeReports.filter { name, report in
                name != state.name && report?.schema ?? CommitEntry.firstSchema < known
            }
            if older.isEmpty { break }
            guard Boot.milliseconds < end else { throw .olderNodes(older.keys.sorted()) }
            WorkPause.milliseconds(Self.pause)
        }
        try state.raiseSchema(to: known)
    }
}
