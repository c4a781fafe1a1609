import Base
import Crypto
import Delivery
import SQLite

/// Carries out operations on an open database, many per transaction. Only the writer's thread uses
/// it.
final class BatchExecutor {
    /// Indexes are written all over: a smaller cache would read their pages again for every batch.
    private static let cacheSize = 32 << 10

    let transaction: Transaction
    let messages: StoredMessages
    let marks: StoredMarks
    let devices: StoredDevices
    let callbacks: StoredCallbacks
    let forwards: StoredForwards
    let engines: StoredEngines
    let topics: StoredTopics
    let registrations: StoredRegistrations
    let begin: StoreStatement
    let end: StoreStatement
    let stateRow: StateRow
    private let onExpiredActions: @Sendable (Int) -> Void
    /// Where the batches are written down; nil for a store of its own.
    let source: LogSource?
    var log: (any CommitLog)? { source?.log }
    /// What a batch changes; nil for a store of its own.
    let recorder: ChangeRecorder?
    /// Makes what others have changed.
    let applier = ChangeApplier()
    // Exclusivity is unchecked: only one thread uses these properties, one access at a time.
    /// The values of the last commit.
    @exclusivity(unchecked) var state: StateRow.Values
    /// Nil when everything is sealed under the current master key.
    @exclusivity(unchecked) private var resealing: Resealing?
    @exclusivity(unchecked) private var outcomes: [StoreOutcome] = []
    @exclusivity(unchecked) var turns = LogWriterTurns()
    @exclusivity(unchecked) var names: EntryNames
    /// What is to be compared with other stores, until the writer takes it.
    @exclusivity(unchecked) var pinned: PinnedStore?
    let path: String
    #if PLANTED
        /// Callbacks that a planted mistake leaves to the next batch.
        var lateCallbacks: [CallbackOperation] = []
    #endif

    /// Passes all stored messages to `visit`.
    init(
        _ source: StoreSource, on connection: consuming Connection, state: StateRow.Values,
        visit: (Address, Int) -> Void = { _, _ in }
    ) throws(StoreFault) {
        let transaction = try Transaction(
            on: connection, after: state.position, keys: source.keys, index: source.index,
            time: source.time, limits: source.limits)
        recorder =
            try source.log == nil ? nil : Self.recorder(on: transaction.connection)
        begin = try StoreStatement("BEGIN IMMEDIATE", on: transaction.connection)
        end = try StoreStatement("COMMIT", on: transaction.connection)
        stateRow = try StateRow(on: transaction.connection)
        messages = try StoredMessages(transaction, visit: visit)
        marks = try StoredMarks(transaction)
        devices = try StoredDevices(transaction, messages)
        callbacks = try StoredCallbacks(transaction, isShared: source.log != nil)
        forwards = try StoredForwards(transaction, callbacks)
        engines = try StoredEngines(
            transaction, messages, marks, templates: source.templates)
        topics = try StoredTopics(transaction, callbacks)
        registrations = try StoredRegistrations(
            transaction, devices, messages, callbacks, forwards, engines, topics)
        self.transaction = transaction
        self.state = state
        var random = RandomSupply()
        do throws(OpenSSLError) { names = EntryNames(startingAt: try random.word()) } catch {
            throw .crypto(error)
        }
        onExpiredActions = source.onExpiredActions
        path = source.path
        self.source = source.log
        resealing = Resealing.needed(source.keys, isShared: source.log != nil)
        transaction.nextExpiry = try firstExpiry()
        // The cache is enlarged after everything was read; otherwise it would start full of useless
        // pages.
        try transaction.connection.forStore { connection throws(SQLiteError) in
            try connection.setCache(kibibytes: Self.cacheSize)
            try connection.setCheckpointAtEnd(true)
            // What is in the log need not be on this disk: after a power cut the store has less and
            // follows the log from there.
            if source.log != nil { try connection.setSyncedAtCommit(false) }
        }
    }

    /// Either everything is on the disk, in memory and in the answers, or nothing is.
    func run(_ submissions: ArraySlice<Submission>) throws(StoreFault) -> [StoreOutcome] {
        try commit { () throws(StoreFault) in
            outcomes.removeAll(keepingCapacity: true)
            #if PLANTED
                for callback in lateCallbacks { _ = try perform(callback) }
                lateCallbacks = []
            #endif
            messages.begin(submissions)
            for submission in submissions {
                outcomes.append(try perform(submission.operation))
                try carryOutConsequences()
            }
        }
        submissions.endReservations()
        return outcomes
    }

    /// Carries out the consequences of engine updates, after the operation that caused them.
    private func carryOutConsequences() throws(StoreFault) {
        while true {
            let consequences = engines.takeConsequences()
            if consequences.isEmpty { return }
            for consequence in consequences { try registrations.carryOut(consequence) }
        }
    }

    /// Ends some of what has expired; true if there may be more.
    func sweep(atMost limit: Int) throws(StoreFault) -> Bool {
        let now = transaction.time.now
        var isMore = false
        try commit { () throws(StoreFault) in
            let counts = [
                try messages.sweep(at: now, limit: limit),
                try topics.sweep(at: now, limit: limit),
                try topics.files.sweep(at: now, limit: limit),
                try registrations.publishDue(at: now, limit: limit),
                try registrations.sweepQuestions(at: now, limit: limit),
                try callbacks.sweep(at: now, limit: limit),
                try forwards.sweep(at: now, limit: limit),
                try registrations.sweepAnswers(at: now, limit: limit),
                try devices.sweep(at: now, limit: limit),
                try registrations.sweepTokens(at: now, limit: limit),
            ]
            isMore = counts.contains { $0 >= limit }
            isMore = try marks.sweep(at: now, limit: limit) || isMore
            isMore = try registrations.settle(at: now) || isMore
            transaction.nextExpiry = try firstExpiry()
        }
        return isMore
    }

    func firstExpiry() throws(StoreFault) -> StoreTime? {
        let times = [
            try messages.nextExpiry(), try topics.nextExpiry(), try topics.files.nextExpiry(),
            try marks.nextExpiry(), try devices.nextExpiry(), try callbacks.nextExpiry(),
            try forwards.nextExpiry(), try registrations.nextExpiry(),
            try QuestionRows.nextDue(on: transaction.connection),
        ]
        return times.compactMap(\.self).min()
    }

    /// The round of reminders at the start is not finished.
    var isReminding: Bool { transaction.index.reminders.isUnderWay }

    /// Does what one of several stores has to do.
    var isLead: Bool { log?.isLead ?? true }

    func remind(atMost limit: Int) throws(StoreFault) {
        guard let last = transaction.index.reminders.last else { return }
        try commit { () throws(StoreFault) in
            try registrations.remindSome(after: last, atMost: limit)
        }
    }

    /// Commits only the clock and the counters, which proves that commits work.
    func commitNothing() throws(StoreFault) { try commit { () throws(StoreFault) in } }

    private func commit(_ body: () throws(StoreFault) -> Void) throws(StoreFault) {
        // A batch that failed leaves its own.
        transaction.effects.empty()
        engines.giveUp()
        if try transaction.useCurrentKeys() {
            resealing = Resealing.needed(transaction.keys, isShared: source != nil)
        }
        var next = state
        let resealing = self.resealing
        var shared = Set<UInt32>()
        engines.absences = [:]
        topics.begin()
        try begin.run()
        do throws(StoreFault) {
            if let source {
                recorder?.begin()
                engines.begin()
                shared = transaction.index.engines.takeUnshared()
                try engines.share(shared, as: source.node)
            }
            try body()
            try carryOutConsequences()
            try marks.keep()
            try engines.keepJournal()
            try topics.keepPositions()
            next.batch += 1
            next.position = transaction.position
            next.counters = transaction.index.counters
            next.anchor = transaction.time.anchor
            try writeDown(&next)
            try stateRow.write(next)
            try end.run()
        } catch {
            transaction.connection.rollBack()
            transaction.index.callbacks.endChanges()
            transaction.index.engines.putBack(shared)
            transaction.index.engines.putBack(engines.absences)
            if error == .outdated {
                engines.takeBack()
                transaction.takeBackPositions(after: state.position)
                self.resealing = resealing
            }
            throw error
        }
        state = next
        messages.committed()
        marks.committed()
        transaction.index.callbacks.endChanges()
        transaction.effects.apply(to: transaction.index)
        let expiredActions = transaction.effects.expiredActions
        // What delivery has let go of is freed now, not when the next batch begins.
        transaction.effects.empty()
        if expiredActions > 0 { onExpiredActions(expiredActions) }
    }
}

/// What the writer asks.
extension BatchExecutor {
    var time: StoreTimekeeper { transaction.time }
    /// What the current batch, or the one that failed, changes in memory.
    var effects: BatchEffects { transaction.effects }
    /// Nothing expires before this; nil if nothing stored can expire.
    var nextExpiry: StoreTime? { transaction.nextExpiry }
    /// Pages of the WAL that wait to be copied into the file.
    var walPages: Int { transaction.connection.walPages }
    /// Something may be sealed under a former key.
    var hasToReseal: Bool { resealing != nil || transaction.hasNewKeys }

    /// Nil unless data is being sealed again.
    var resealed: ResealingProgress? {
        guard let resealing, resealing.isWhole else { return nil }
        return resealing.progress
    }

    /// The files still have something that was to be forgotten.
    var hasToErase: Bool { transaction.hasForgotten }

    /// Copies the zeros that SQLite leaves of deleted rows over the rows, and empties the WAL. False
    /// if a reader still needs what was there before.
    func erase() -> Bool {
        // What was deleted stays deleted. If the disk fails, the next commit says how.
        let isErased = (try? checkpoint(.truncating)) ?? false
        if isErased { transaction.hasForgotten = false }
        return isErased
    }

    func checkpoint(_ kind: Connection.Checkpoint) throws(StoreFault) -> Bool {
        try transaction.connection.forStore { connection throws(SQLiteError) in
            try connection.checkpoint(kind)
        }
    }

    /// A large account can be written on now. While the log has no leader, the work would only be
    /// undone.
    var hasAccountsToWrite: Bool { isCurrent && engines.drafts.hasWork }
    /// A large account will be written on soon.
    var isDrafting: Bool { isCurrent && engines.drafts.isDrafting }
    private var isCurrent: Bool { log?.isCurrent ?? true }

    /// Takes the next step in writing large accounts. The commit is as small as others are.
    func writeAccounts() throws(StoreFault) {
        try commit { () throws(StoreFault) in try engines.writeOn() }
    }

    /// Nothing has been committed, here or by another store, while this stays the same.
    var progress: Int64 { state.batch &+ state.applied }

    func pages() throws(StoreFault) -> (all: Int, free: Int) {
        try transaction.connection.forStore { connection throws(SQLiteError) in
            try connection.pages()
        }
    }

    /// The changes of rows are what other stores follow; where the rows are is each store's own.
    func giveBack(pages count: Int) throws(StoreFault) -> Bool {
        try transaction.connection.forStore { connection throws(SQLiteError) in
            try connection.giveBack(pages: count)
        }
    }

    /// Seals some more rows under the current key. At the end it returns how many rows failed,
    /// until then nil. Unless that is zero the former key is still needed.
    func reseal(atMost limit: Int) throws(StoreFault) -> Int? {
        try commit { () throws(StoreFault) in
            try resealing?.goOn(on: transaction.connection, &transaction.sealer, limit: limit)
        }
        guard let resealing, resealing.isDone else { return nil }
        self.resealing = nil
        guard resealing.isWhole else { return nil }
        if source != nil {
            transaction.keys.endResealing()
        } else if resealing.unopened == 0 {
            transaction.keys.dropFormer()
        }
        return resealing.unopened
    }
}
