import Base
import Crypto
import Dialects
import EngineHost
import SQLite
import WebPush

/// The time of a store, and the clocks that it follows.
struct StoreTimekeeper: Sendable {
    let clock: StoreClock
    let reading: @Sendable () -> ClockReading

    var now: StoreTime { clock.time(at: reading()) }

    var anchor: StoreClock.Anchor {
        let reading = reading()
        return StoreClock.Anchor(time: clock.time(at: reading), reading: reading)
    }
}

/// Carries out operations on an open database, many in one transaction. For the writer's thread.
final class BatchExecutor {
    /// Indexes are written all over: with less, their pages are read again for every batch.
    private static let cacheSize = 32 << 10

    let database: WriterDatabase
    let index: StoreIndex
    let time: StoreTimekeeper
    let keys: StoreKeys
    /// The sentences of engines.
    let templates: TelegramTemplates
    let limits: StoreLimits
    private let onExpiredActions: @Sendable (Int) -> Void
    // Of one thread, and used by nothing that is called while they change.
    /// Those that were read. As they are in the batch under way: with a failure they go.
    @exclusivity(unchecked) var engines: LoadedEngines
    @exclusivity(unchecked) var journal = EngineJournal()
    /// What is still to be done because of what engines said.
    @exclusivity(unchecked) var following: [EngineConsequence] = []
    @exclusivity(unchecked) var sealer: Sealer
    @exclusivity(unchecked) private var keyGeneration: Int
    @exclusivity(unchecked) var hash: SHA256
    @exclusivity(unchecked) private(set) var locations = FlatTable<LocationEntry>()
    @exclusivity(unchecked) private var replays = ReplayTable()
    /// As it was committed last.
    @exclusivity(unchecked) private(set) var state: StateRow.Values
    /// What the batch under way, or the one that failed, changes in memory.
    @exclusivity(unchecked) var effects = BatchEffects()
    /// The last one that was given to a row, in a batch that was committed or not.
    @exclusivity(unchecked) var position: Int64
    /// That of the last commit before it was opened.
    let openedAt: Int64
    #if PLANT_OUTBOX_AFTER_ANSWER
        var lateCallbacks: [CallbackOperation] = []
    #endif
    /// Nothing expires before this; nil when no message is stored.
    @exclusivity(unchecked) var nextExpiry: StoreTime?
    /// Nil when everything is sealed under the current master key.
    @exclusivity(unchecked) private var resealing: Resealing?
    @exclusivity(unchecked) private var outcomes: [StoreOutcome] = []

    /// Goes through all messages that are stored, to know where they are, and shows them to `visit`.
    init(
        _ database: WriterDatabase, state: StateRow.Values, keys: StoreKeys, index: StoreIndex,
        time: StoreTimekeeper, templates: TelegramTemplates,
        limits: StoreLimits, onExpiredActions: @escaping @Sendable (Int) -> Void = { _ in },
        visit: (Address, Int) -> Void = { _, _ in }
    ) throws(StoreFault) {
        self.templates = templates
        self.limits = limits
        self.onExpiredActions = onExpiredActions
        engines = LoadedEngines(room: limits.engineMemory)
        keyGeneration = keys.generation
        resealing = keys.hasFormer ? Resealing() : nil
        do throws(OpenSSLError) {
            let sealer = try keys.sealer()
            let hash = try SHA256()
            self.sealer = sealer
            self.hash = hash
        } catch { throw .crypto(error) }
        self.database = database
        self.state = state
        self.keys = keys
        self.index = index
        self.time = time
        position = state.position
        openedAt = state.position
        do throws(SQLiteError) {
            try findMessages(visit)
            try MarkRows<ReplayMark>.load(from: database.connection) {
                replays.insert($0, owner: index.owner(ofDevice: $0.device))
            }
            try EngineRows.loadRecords(on: database.connection) {
                journal.wrote($0, of: $1, size: $2)
            }
            nextExpiry = try firstExpiry()
            // Not before all was read, or memory would begin full of what is not needed again.
            try database.connection.setCache(kibibytes: Self.cacheSize)
            try database.connection.setCheckpointAtEnd(true)
        } catch { throw StoreFault(error) }
    }

    private func findMessages(_ visit: (Address, Int) -> Void) throws(SQLiteError) {
        let select = try Statement(
            "SELECT position, location, subscription, device, size FROM message",
            on: database.connection)
        while try select.step() {
            guard let location = select.withBytes(1, { LocationID($0) }) else { continue }
            locations.set(location.high, position: select.integer(0))
            let address = Address(
                subscription: UInt32(clamping: select.integer(2)),
                device: UInt32(clamping: select.integer(3)))
            visit(address, Int(select.integer(4)))
        }
    }

    /// Pages of the WAL that wait to be copied into the file.
    var walPages: Int { database.connection.walPages }

    func checkpoint(_ kind: Connection.Checkpoint) throws(StoreFault) -> Bool {
        do throws(SQLiteError) {
            return try database.connection.checkpoint(kind)
        } catch { throw StoreFault(error) }
    }

    /// All on the disk, in memory and in the answer; or nothing, and the error says why.
    func run(_ submissions: ArraySlice<Submission>) throws(StoreFault) -> [StoreOutcome] {
        var acknowledged = Acknowledged(in: submissions)
        try commit { () throws(StoreFault) in
            outcomes.removeAll(keepingCapacity: true)
            #if PLANT_OUTBOX_AFTER_ANSWER
                for callback in lateCallbacks { _ = try perform(callback) }
                lateCallbacks = []
            #endif
            for submission in submissions {
                outcomes.append(try perform(submission.operation, &acknowledged))
                try follow()
            }
            try keepMarks()
            try keepReplays()
        }
        return outcomes
    }

    /// True if no body with this mark came lately, which it did now.
    func isNew(_ mark: ReplayMark) -> Bool {
        switch replays.answer(mark, owner: index.owner(ofDevice: mark.device)) {
        case .new: effects.replays.insert(mark).inserted
        case .repeated: false
        case .unmarked: true
        }
    }

    private func keepReplays() throws(StoreFault) {
        guard !effects.replays.isEmpty else { return }
        position += 1
        let expires = time.now.adding(seconds: ReplayMark.lifetime)
        try rows { () throws(SQLiteError) in
            try database.replays.insert(effects.replays, at: position, expires: expires)
        }
        wake(at: expires)
    }

    /// Ends some of what has run out; true if there may be more of it.
    func sweep(atMost limit: Int) throws(StoreFault) -> Bool {
        let now = time.now
        var isMore = false
        try commit { () throws(StoreFault) in
            do throws(SQLiteError) {
                let ended = try database.messages.deleteExpired(at: now, limit: limit)
                let callbacks = try sweepCallbacks(at: now, limit: limit)
                let answers = try database.receivers.deleteExpired(at: now, limit: limit)
                let replays = try database.replays.deleteExpired(at: now, limit: limit)
                let marks = try database.marks.deleteExpired(at: now, limit: limit)
                let old = try database.ended.deleteOld(at: now, limit: limit)
                isMore = [ended.count, callbacks, answers, replays.count, marks.count, old]
                    .contains { $0 >= limit }
                effects.ended += ended
                effects.expiredMarks += marks
                effects.expiredReplays += replays
            } catch { throw StoreFault(error) }
            isMore = try settleRegistrations(at: now) || isMore
            do throws(SQLiteError) {
                nextExpiry = try firstExpiry()
            } catch { throw StoreFault(error) }
        }
        return isMore
    }

    private func firstExpiry() throws(SQLiteError) -> StoreTime? {
        let times = [
            try database.messages.nextExpiry(), try database.marks.nextExpiry(),
            try database.callbacks.nextDeath(), try nextRegistrationDue(),
            try database.replays.nextExpiry(), try database.ended.nextExpiry(),
        ]
        return times.compactMap(\.self).min()
    }

    /// A commit of nothing but the clock and counters: proves that commits work.
    func commitNothing() throws(StoreFault) { try commit { () throws(StoreFault) in } }

    func commit(_ body: () throws(StoreFault) -> Void) throws(StoreFault) {
        effects.empty()
        giveUpEngines()
        try useCurrentKeys()
        var next = state
        do throws(SQLiteError) { try database.begin.run() } catch { throw StoreFault(error) }
        do throws(StoreFault) {
            try body()
            try keepJournal()
            next.batch += 1
            next.position = position
            next.counters = index.counters
            next.anchor = time.anchor
            try database.finish(next)
        } catch {
            database.connection.rollBack()
            index.callbacks.endChanges()
            throw error
        }
        state = next
        for message in effects.stored {
            locations.set(message.location, position: message.position)
        }
        for message in effects.ended { locations.remove(location: message.location) }
        for mark in effects.replays {
            replays.insert(mark, owner: index.owner(ofDevice: mark.device))
        }
        for mark in effects.expiredReplays { replays.remove(mark) }
        index.callbacks.endChanges()
        effects.apply(to: index)
        if effects.expiredActions > 0 { onExpiredActions(effects.expiredActions) }
    }
}

/// The master key.
extension BatchExecutor {
    /// Something may be sealed under another key than the current one.
    var hasToReseal: Bool { resealing != nil || keys.generation != keyGeneration }

    private func useCurrentKeys() throws(StoreFault) {
        let generation = keys.generation
        guard generation != keyGeneration else { return }
        do throws(OpenSSLError) {
            sealer = try keys.sealer()
        } catch { throw .crypto(error) }
        keyGeneration = generation
        resealing = keys.hasFormer ? Resealing() : nil
    }

    /// Seals some more under the current key; at the end how many rows could not be, else nil. Unless
    /// there are none the former key stays.
    func reseal(atMost limit: Int) throws(StoreFault) -> Int? {
        try commit { () throws(StoreFault) in
            try resealing?.goOn(on: database.connection, &sealer, limit: limit)
        }
        guard let resealing, resealing.isDone else { return nil }
        self.resealing = nil
        if resealing.unopened == 0 { keys.dropFormer() }
        return resealing.unopened
    }
}

extension BatchExecutor {
    /// Messages whose acknowledgement is in the same batch: they need not be written.
    struct Acknowledged {
        private var waiting = Set<MessageID>()
        private var met = Set<MessageID>()

        init(in submissions: ArraySlice<Submission>) {
            for submission in submissions {
                if case .acknowledge(let reference) = submission.operation {
                    waiting.insert(reference.id)
                }
            }
        }

        /// Whether the message has its acknowledgement behind it.
        mutating func passes(_ id: MessageID) -> Bool {
            guard !waiting.isEmpty, waiting.contains(id) else { return false }
            met.insert(id)
            return true
        }

        func hasPassed(_ id: MessageID) -> Bool { met.contains(id) }
    }
}
