package import Base
package import Crypto
package import Dialects
import Reactor
import SQLite
package import System

/// The store of one machine: a SQLite database in a folder of its own.
package final class SQLiteStore: MessageStore {
    /// What it is opened with.
    package struct Options: Sendable {
        package var folder: String
        package var masterKey: MasterKey
        /// Keys that may still have sealed something.
        package var formerKeys: [MasterKey] = []
        package var limits = StoreLimits()
        /// The sentences in which engines tell of Telegram's pushes.
        package var templates = TelegramTemplates.english
        /// Told, on a thread of the store, whenever it stops working or why it still does not.
        package var onFault: @Sendable (StoreFault) -> Void = { _ in }
        /// Told, on a thread of the store, how many actions no application has taken in time.
        package var onExpiredActions: @Sendable (Int) -> Void = { _ in }
        /// Told, on a thread of the store, when all that was sealed under former keys was gone over,
        /// and how many rows did not open: unless there are none, the former keys are still needed.
        package var onResealed: @Sendable (_ unopened: Int) -> Void = { _ in }
        /// Says what is not to be tried, once the folder is ours.
        package var setAside: @Sendable (_ folder: String) -> SetAside = { _ in SetAside() }
        /// The clocks.
        package var reading: @Sendable () -> ClockReading = ClockReading.now

        package init(folder: String, masterKey: MasterKey) {
            self.folder = folder
            self.masterKey = masterKey
        }
    }

    /// What was found at the start.
    package struct Report: Equatable, Sendable {
        package var devices = 0
        package var endpoints = 0
        package var messages = 0
    }

    package let index: StoreIndex
    package let report: Report
    /// Makes and recognises endpoint tokens.
    package let endpointKey: Secret
    private let keys: StoreKeys
    private let time: StoreTimekeeper
    private let folder: StateFolder
    private let writer: StoreWriter
    private let reader: StoreReader
    private let threads: [WorkThread]

    package var clock: StoreClock { time.clock }
    package var isUsable: Bool { writer.isUsable }

    /// Takes hold of the folder, looks through the database, and loads the index.
    package init(_ options: Options) throws(StoreFault) {
        let folder = try Self.take(options.folder)
        let opening = try StoreOpening(
            options, path: folder.path + "/" + WriterDatabase.fileName,
            options.setAside(folder.path))
        let writer = StoreWriter(
            opening.executor, source: opening.source, limits: options.limits,
            onFault: options.onFault, onResealed: options.onResealed)
        let reader = try StoreReader(opening.source, limits: options.limits)
        let threads: [WorkThread]
        do throws(ReactorError) {
            threads = [
                try WorkThread(name: "store-writer") { writer.run() },
                try WorkThread(name: "store-reader") { reader.run() },
            ]
        } catch { throw .thread(code: error.code) }
        index = opening.source.index
        report = opening.report
        endpointKey = opening.source.keys.endpoint
        keys = opening.source.keys
        time = opening.source.time
        self.folder = folder
        self.writer = writer
        self.reader = reader
        self.threads = threads
    }

    /// Whether a store was made in this folder before.
    package static func isThere(in folder: String) -> Bool {
        FileStamp(of: folder + "/" + WriterDatabase.fileName) != nil
    }

    private static func take(_ path: String) throws(StoreFault) -> StateFolder {
        do throws(StateFolder.Failure) {
            let folder = try StateFolder(path)
            try folder.makeFile(WriterDatabase.fileName)
            return folder
        } catch { throw .folder(error) }
    }

    package func submit(_ operation: StoreOperation, ticket: UInt64, to sink: any StoreSink) {
        writer.submit(Submission(operation: operation, ticket: ticket, sink: sink))
    }

    package func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink) {
        reader.load(request, ticket: ticket, to: sink)
    }

    package func remind(_ describe: @escaping @Sendable (Registration) -> String) {
        index.reminders.begin(describe)
        writer.wake()
    }

    /// Seals everything under `key` from now on, and what is sealed already bit by bit. The key must
    /// be on the disk, and the one before must stay there until `onResealed`.
    package func rotate(to key: MasterKey) {
        reader.between { [keys, writer] in
            keys.rotate(to: key)
            writer.wake()
        }
    }

    /// Carries out what waits and ends. Once, and never on a thread of the store.
    package func close() {
        reader.close()
        writer.close()
        for thread in threads { thread.join() }
    }
}
