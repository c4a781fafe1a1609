import Dialects

/// Opens the writer's database, at the start and after a failure.
struct StoreSource: Sendable {
    let path: String
    let keys: StoreKeys
    let index: StoreIndex
    let time: StoreTimekeeper
    let limits: StoreLimits
    /// The texts for Telegram's pushes.
    let templates: TelegramTemplates
    /// Called with the number of actions that no application took in time.
    let onExpiredActions: @Sendable (Int) -> Void
    /// Where commits are written down for other stores; nil for a store of its own.
    let log: LogSource?

    func reopen() throws(StoreFault) -> BatchExecutor {
        let connection = try WriterDatabase.open(path, pageLimit: limits.filePages)
        guard let record = try StateRow.read(on: connection) else {
            throw .damaged("the state is missing")
        }
        return try BatchExecutor(self, on: connection, state: record.values)
    }

    func apply(_ effects: BatchEffects) { effects.apply(to: index) }
}
