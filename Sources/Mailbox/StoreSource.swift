import Dialects
import SQLite

/// Where the writer gets its database from, at the start and after a failure.
struct StoreSource: Sendable {
    let path: String
    let keys: StoreKeys
    let index: StoreIndex
    let time: StoreTimekeeper
    let limits: StoreLimits
    /// The sentences of engines.
    let templates: TelegramTemplates

    func reopen() throws(StoreFault) -> BatchExecutor {
        let database = try WriterDatabase(path, pageLimit: limits.filePages)
        guard let record = try StateRow.read(on: database.connection) else {
            throw .damaged("the state is missing")
        }
        return try BatchExecutor(
            database, state: record.values, keys: keys, index: index, time: time,
            templates: templates, limits: limits)
    }

    /// The message ended without being stored.
    func release(_ message: Message) { index.release(message) }

    func apply(_ effects: BatchEffects) { effects.apply(to: index) }
}
