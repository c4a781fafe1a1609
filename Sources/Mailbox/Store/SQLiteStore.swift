package import Base
package import Crypto
package import Delivery
package import Notifications
package import SQLite
import Synchronization
package import System

/// The store of one machine: a SQLite database in a folder of its own.
package final class SQLiteStore: MessageStore {
    package struct Options: Sendable {
        package var folder: String
        /// The lock of the folder, if the caller has it already.
        package var lock: StateFolder?
        package var masterKey: MasterKey
        /// Former keys that may still be needed to open old data.
        package var formerKeys: [MasterKey] = []
        package var limits = StoreLimits()
        /// The texts for Telegram's pushes.
        package var templates = TelegramTemplates.english
        /// Called on a store thread when the store fails, and when a retry fails differently.
        package var onFault: @Sendable (StoreFault) -> Void = { _ in }
        /// Called on a store thread with the number of actions that no application took in time.
        package var onExpiredActions: @Sendable (Int) -> Void = { _ in }
        /// Called on a store thread when everything under the former keys has been sealed again.
        /// `unopened` counts the rows that did not open; unless zero, the former keys are still needed.
        package var onResealed: @Sendable (_ unopened: Int) -> Void = { _ in }
        /// Called before each step that brings the file of an earlier version up to date.
        package var onUpgrade: @Sendable (Migration.Step) -> Void = { _ in }
        /// The steps that bring it there.
        var migrations = Schema.migrations
        /// Says which records to skip; called once the folder is locked and the store is ours.
        package var setAside: @Sendable (_ folder: String) -> SetAsideInputs = { _ in
            SetAsideInputs()
        }
        package var reading: @Sendable () -> ClockReading = ClockReading.now
        /// The room on the disk of the files that come to topics.
        var space: @Sendable (String) -> DiskSpace? = { DiskSpace(at: $0) }
        /// Where commits are written down for other stores; nil for a store of its own.
        package var log: LogSource?

        package init(folder: String, masterKey: MasterKey) {
            self.folder = folder
            self.masterKey = masterKey
        }
    }

    package let index: StoreIndex
    /// What the store contained at the start.
    package let report: StoreFigures
    /// Makes and recognises endpoint tokens.
    package var endpointKey: Secret { ownKeys.endpoint }
    package var ownKeys: OwnKeys { keys.own }
    let keys: StoreKeys
    private let time: StoreTimekeeper
    private let folder: StateFolder
    let writer: StoreWriter
    let reader: StoreReader
    private let threads: [WorkThread]
    private let fileThread: WorkThread
    /// Nil for a store of its own.
    private let log: (any CommitLog)?

    package var clock: LastingClock { time.clock }
    package var isUsable: Bool { writer.isUsable && isCurrent && !isShutOut }
    package var isCurrent: Bool { log?.isCurrent ?? true }
    package var isSettling: Bool { !isCurrent || writer.settling.load(ordering: .relaxed) }
    /// So many of the servers that keep the log may lose what they confirm. Any thread may use it.
    package var unsafeServerCount: Int { unsafeServers.load(ordering: .relaxed) }
    package func note(unsafeServers count: Int) {
        unsafeServers.store(count, ordering: .relaxed)
    }
    private let unsafeServers = Atomic(0)
    /// Other stores write so fast that this one, with a longer way to the log, cannot.
    package var isShutOut: Bool { writer.shutOut.load(ordering: .relaxed) }
    /// The last entry of the log that is in the store.
    package var applied: Int64 { writer.applied.load(ordering: .relaxed) }
    /// The last entry with its digest. Nil if that is not known.
    package var lastEntry: EntryMark? { writer.mark.withLock { $0 } }
    package var isLead: Bool { log?.isLead ?? true }
    /// The schema of an entry that ended the following, because this program does not know it.
    package var newerLog: Int? {
        let found = writer.newerLog.load(ordering: .relaxed)
        return found > 0 ? found : nil
    }
    /// What shows that this store is not like the others. It cannot go on then.
    package var difference: StoreDifference? { writer.difference.withLock { $0 } }

    /// Locks the folder, checks the database and loads the index.
    package init(_ options: Options) throws(StoreFault) {
        let folder = try Self.lockFolder(options)
        let opening = try StoreOpening(options, in: folder.path)
        let writer = StoreWriter(
            opening.executor, source: opening.source, limits: options.limits,
            onFault: options.onFault, onResealed: options.onResealed)
        try writer.join()
        let reader = try StoreReader(opening.source, limits: options.limits)
        let files = opening.source.index.files
        try files.begin(opening.source.filePlace(in: folder.path, options.space))
        let threads: [WorkThread]
        let fileThread: WorkThread
        do throws(SystemError) {
            fileThread = try WorkThread(name: "store-files") { files.run() }
            threads = [
                try WorkThread(name: "store-writer") { writer.run() },
                try WorkThread(name: "store-reader") { reader.run() },
            ]
        } catch { throw .thread(code: error.code) }
        index = opening.source.index
        report = opening.report
        keys = opening.source.keys
        time = opening.source.time
        log = options.log?.log
        self.folder = folder
        self.writer = writer
        self.reader = reader
        self.threads = threads
        self.fileThread = fileThread
        log?.listen { [weak self] in self?.received($0) }
        index.endings.listen { [weak reader] endings in
            for topic in endings.unnamed { reader?.forgetTexts(of: topic) }
        }
    }

    /// Whether the folder already contains a store.
    package static func isThere(in folder: String) -> Bool {
        FileStamp(of: folder + "/" + WriterDatabase.fileName) != nil
    }

    private static func lockFolder(_ options: Options) throws(StoreFault) -> StateFolder {
        do throws(StateFolder.Failure) {
            let folder: StateFolder
            if let lock = options.lock {
                folder = lock
            } else {
                folder = try StateFolder(options.folder)
            }
            try folder.makeFile(WriterDatabase.fileName)
            return folder
        } catch { throw .folder(error) }
    }

    package func serve(at baseURL: String) throws(StoreFault) {
        do throws(OpenSSLError) {
            var hash = try SHA256()
            let digest = Digest(try hash.digest(of: Array(baseURL.utf8).span))
            index.address = Int64(digest.words.0 >> 11)
        } catch { throw .crypto(error) }
    }

    /// Sends the devices and the clients of engines that are connected here to other nodes.
    package func sendClientsAway() {
        var news = RemoteChanges()
        news.isUnknown = true
        index.remoteChanges.call(news)
        index.engines.sendClientsAway()
    }

    package func submit(_ operation: StoreOperation, ticket: UInt64, to sink: any StoreSink) {
        writer.submit(Submission(operation: operation, ticket: ticket, sink: sink))
    }

    package func passOn(_ message: Message) {
        guard let log, let bytes = try? PassedMessage.bytes(message, keys) else { return }
        log.tell(bytes)
    }

    /// In milliseconds.
    private static let passedLife: Int64 = 1_000

    private func received(_ bytes: [UInt8]) {
        guard let device = PassedMessage.device(bytes),
            index.isConnectedHere.call(device) == true,
            let message = PassedMessage.message(bytes, keys),
            // The message may have waited for this node, and was for devices that were connected
            // then.
            time.now.milliseconds - message.expiry.milliseconds < Self.passedLife
        else { return }
        var news = RemoteChanges()
        news.passed = [message]
        index.remoteChanges.call(news)
    }

    package func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink) {
        reader.load(request, ticket: ticket, to: sink)
    }

    package func remind(_ describe: @escaping @Sendable (Registration) -> String) {
        // A node that begins does not mean that the service does. All are reminded once a day.
        index.reminders.begin(withRound: log == nil, describe)
        writer.wake()
    }

    /// Until `goOn`, or the end, the file stays as it is and all operations are refused. What is
    /// stored can be read. Blocks; false if the writer does not come to a rest within that time, in
    /// milliseconds, and so goes on.
    package func pause(within limit: Int64) -> Bool { writer.beginPause(within: limit) }

    package func goOn() { writer.endPause() }

    /// Finishes the queued work and ends. Call once, never on a store thread.
    package func close() {
        reader.close()
        writer.close()
        for thread in threads { thread.join() }
        // After the last commit, which may have ended some.
        index.files.close()
        fileThread.join()
        // The last connection to the file moves the WAL into it, and only the writer's may write.
        writer.finish()
    }
}

/// Stores that follow a log show each other that they are alike. Any thread may call these.
extension SQLiteStore {
    /// From now on, `takePinned` has to be called again and again.
    package func beginComparing() { index.isCompared.store(true, ordering: .relaxed) }

    /// Has all stores look at what they are after the same entry of the log. It may get lost.
    package func askForComparison() {
        writer.isComparisonDue.store(true, ordering: .relaxed)
        writer.wake()
    }

    /// What is to be looked at, once.
    package func takePinned() -> PinnedStore? {
        writer.pinned.withLock { pinned in
            defer { pinned = nil }
            return pinned
        }
    }
}

/// A change of the master key while the store serves.
extension SQLiteStore {
    /// Seals new data under `key` from now on, and existing data step by step. The key must be on
    /// the disk, and the former one must stay there until `onResealed`.
    package func rotate(to key: MasterKey) {
        writer.resealing.withLock { $0 = ResealingProgress(done: 0, total: 0) }
        reader.between { [keys, writer] in
            keys.rotate(to: key)
            writer.wake()
        }
    }

    /// How far that has got; nil when it is done. Any thread may use it.
    package var resealing: ResealingProgress? { writer.resealing.withLock { $0 } }
}

/// The master key of stores that stay alike: first each of them learns the new key, then each uses
/// it, and then one of them seals everything again for all. Any thread may call these.
extension SQLiteStore {
    /// The ids of the keys that open something here.
    package var knownKeys: Set<UInt64> { keys.identifiers }
    /// The id of the key under which this store seals. No commit under another one is under way.
    package var sealingKey: UInt64 { writer.sealing.load(ordering: .relaxed) }

    /// What others seal under this key opens here as soon as `knownKeys` has it.
    package func learn(_ key: MasterKey) {
        reader.between { [keys, writer] in
            keys.learn(key)
            writer.wake()
        }
    }

    /// Seals under this known key from now on.
    package func use(key id: UInt64) {
        reader.between { [keys, writer] in
            keys.use(id)
            writer.wake()
        }
    }

    /// Seals everything again; `unopenedRows` says when it is done.
    package func reseal() {
        writer.unopened.withLock { $0 = nil }
        writer.resealing.withLock { $0 = ResealingProgress(done: 0, total: 0) }
        keys.reseal()
        writer.wake()
    }

    /// How many rows did not open meanwhile. Nil until it is done.
    package var unopenedRows: Int? { writer.unopened.withLock { $0 } }
}
