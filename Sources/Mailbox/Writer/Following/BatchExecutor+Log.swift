import Crypto
import Delivery
import SQLite
import System

/// Entries of the log that other stores have written.
extension BatchExecutor {
    /// In milliseconds.
    private static let patience: Int64 = 3_000
    /// So many entries are followed in one transaction, or fewer long ones.
    private static let entriesAtOnce = 256
    private static let bytesAtOnce = 4 << 20

    /// Follows all entries that have arrived. False if entries are left at the time `end`.
    func catchUp(until end: Int64 = Boot.milliseconds + patience) throws(StoreFault) -> Bool {
        guard let log else { return true }
        while true {
            let entries = log.entries(after: state.applied)
            if entries.isEmpty { return true }
            var rest = entries[...]
            while !rest.isEmpty {
                guard Boot.milliseconds < end else { return false }
                let next = try Self.next(rest)
                try follow(next)
                rest = rest[next.endIndex...]
            }
        }
    }

    private static func next(
        _ entries: ArraySlice<NumberedEntry>
    ) throws(StoreFault) -> ArraySlice<NumberedEntry> {
        var (count, bytes) = (0, 0)
        for entry in entries.prefix(entriesAtOnce) where bytes < bytesAtOnce {
            guard CommitEntry.schemas.contains(entry.entry.schema) else { break }
            bytes += entry.entry.changes.count
            count += 1
            if entry.entry.compares { break }
        }
        if count == 0, let first = entries.first {
            guard first.entry.schema >= CommitEntry.firstSchema else { throw .earlierSchema }
            throw .newerLog(found: first.entry.schema, known: CommitEntry.knownSchema)
        }
        return entries.prefix(count)
    }

    /// Carries out operations after the entries of other stores. Nil if those write without a
    /// pause.
    func runInTurn(_ submissions: ArraySlice<Submission>) throws(StoreFault) -> [StoreOutcome]? {
        let end = Boot.milliseconds + Self.patience
        while try catchUp(until: end) {
            do throws(StoreFault) { return try run(submissions) } catch {
                guard error == .outdated, Boot.milliseconds < end else {
                    if error == .outdated { return nil }
                    throw error
                }
            }
        }
        return nil
    }

    /// Does work that no operation waits for. If another store writes at the same time, the work is
    /// done later.
    func unlessOutdated(_ body: () throws(StoreFault) -> Void) throws(StoreFault) {
        do throws(StoreFault) { try body() } catch { guard error == .outdated else { throw error } }
    }

    /// Tells the other stores which engines have clients here, unless this node is cut off. Its
    /// clients are sent away then, and a commit without an answer would close the store.
    func shareClients() throws(StoreFault) {
        guard let log, log.isCurrent, transaction.index.engines.hasUnshared else { return }
        try commitNothing()
    }

    /// Takes a new block of row numbers before the last numbers are used.
    func keepNumbers() {
        guard let log, transaction.index.isLowOnNumbers, let block = log.takeNumbers()
        else { return }
        transaction.index.add(block)
    }

    /// Makes the changes of the next entries, in the file and then in memory.
    private func follow(_ entries: ArraySlice<NumberedEntry>) throws(StoreFault) {
        guard let last = entries.last, last.number > state.applied else { return }
        let news = entries.map { self.news($0.entry) }
        engines.giveUp()
        topics.begin()
        transaction.effects.empty()
        let rows = try make(entries, through: last, telling: news)
        let now = Boot.milliseconds
        for entry in entries.map(\.entry) where entry.writer != names.writer {
            turns.followed(entry.writer, asks: entry.asks, at: now)
        }
        messages.committed()
        engines.follow(rows.engines)
        transaction.effects.apply(to: transaction.index)
        marks.committed()
        transaction.effects.empty()
        tellClients(rows.ownClients)
        pin(entries)
    }

    /// Rows about the clients of this store came from the log. Either another node took this one
    /// for lost, or this node wrote them before it was opened again. The clients that are here now
    /// are written down anew. They start over, because they missed news.
    private func tellClients(_ engines: [UInt32]) {
        guard !engines.isEmpty else { return }
        transaction.index.engines.shareAgain(engines)
        transaction.index.engines.notifyStoreReturned()
    }

    /// Makes the changes in the file. The caller then changes memory.
    private func make(
        _ entries: ArraySlice<NumberedEntry>, through last: NumberedEntry,
        telling news: [EntryNews]
    ) throws(StoreFault) -> FollowedRows {
        for entry in entries.map(\.entry) {
            transaction.raisePosition(to: entry.position)
            transaction.index.raiseSequence(to: entry.sequence)
        }
        var next = state
        next.batch += 1
        next.position = transaction.position
        next.counters = transaction.index.counters
        next.anchor = transaction.time.anchor
        next.follow(last.entry, at: last.number)
        try begin.run()
        do throws(StoreFault) {
            let rows = try apply(entries)
            // If the commit fails, the effects are applied once it is known whether it was done.
            transaction.effects = rows.effects
            transaction.effects.engineNews = news.flatMap(\.engines)
            for places in news.flatMap(\.quiet) {
                transaction.effects.topicNews.removeAll(where: places.has)
            }
            for item in news.flatMap(\.topics) {
                if let news = try item.news(topics) { transaction.effects.topicNews.append(news) }
            }
            transaction.nextExpiry = try firstExpiry()
            try stateRow.write(next)
            try end.run()
            state = next
            return rows
        } catch {
            transaction.connection.rollBack()
            throw error
        }
    }

    private func apply(_ entries: ArraySlice<NumberedEntry>) throws(StoreFault) -> FollowedRows {
        do throws(StoreFault) { return try apply(entries, applier.apply) } catch {
            transaction.connection.rollBack()
            try begin.run()
            return try apply(entries, applier.applyAtOnce)
        }
    }

    /// The changes fit the other stores, or they would not be in the log. If they do not fit here,
    /// this store differs.
    private func apply(
        _ entries: ArraySlice<NumberedEntry>,
        _ body: ([UInt8], borrowing Connection, ChangeApplier.Visit) throws(SQLiteError) -> Void
    ) throws(StoreFault) -> FollowedRows {
        var rows = FollowedRows(node: source?.node, at: transaction.time.now)
        for next in entries {
            do throws(SQLiteError) {
                try body(next.entry.changes, transaction.connection) { rows.read($0) }
            } catch {
                guard let table = error.table else { throw StoreFault(error) }
                throw .differs(StoreDifference(table: table, entry: next.number))
            }
            try rows.endEntry(owner: name(ofOwner:), unseal: transaction.unsealed)
        }
        return rows
    }

    private func name(ofOwner row: Int64) throws(StoreFault) -> String? {
        let select = try transaction.connection.statement(
            "SELECT name FROM owner WHERE row = ?1", row)
        return try select.step() ? select.text(0) : nil
    }
}

/// Batches of this store, on their way into the log.
extension BatchExecutor {
    /// All tables but `state`, which each store has for itself. Changes come in this order: tables
    /// with triggers first, and endpoints end before their devices.
    static let tables = [
        "registration", "kept_answer", "engine", "callback", "owner", "credential", "subscription",
        "device", "ended_endpoint", "message", "mark", "replay", "undecryptable", "fetch_signal",
        "engine_record", "callback_event", "forward", "share", "engine_client", "topic_owner",
        "topic", "topic_name", "topic_message", "topic_scheduled", "topic_file", "topic_picture",
        "question", "passkey",
    ]

    /// Call it before any statement is prepared.
    static func recorder(on connection: borrowing Connection) throws(StoreFault) -> ChangeRecorder {
        try connection.forStore { connection throws(SQLiteError) in
            try ChangeRecorder(of: tables, keeping: FollowedRows.kept, on: connection)
        }
    }

    /// Appends the batch to the log, before it is committed.
    func writeDown(_ next: inout StateRow.Values) throws(StoreFault) {
        guard let log, let recorder else { return }
        let changes: [UInt8]
        do throws(SQLiteError) { changes = try recorder.end() } catch {
            throw StoreFault(error)
        }
        guard !changes.isEmpty else { return }
        let name = names.next()
        let entry = CommitEntry(
            name: name, position: next.position, sequence: next.counters.sequence,
            changes: changes, news: try sealedNews(name), schema: CommitEntry.knownSchema)
        let began = Boot.milliseconds
        switch log.append(entry, after: next.applied) {
        case .appended(let number):
            turns.wrote(from: began, to: Boot.milliseconds)
            next.follow(entry, at: number)
        case .outdated:
            // A store that is cut off was not too late: nothing was sent.
            guard log.isCurrent else { throw .outdated }
            turns.cameTooLate(at: Boot.milliseconds)
            if turns.asks(at: Boot.milliseconds) { ask(log) }
            throw .outdated
        case .unknown: throw .undecided
        }
    }

    private func ask(_ log: any CommitLog) {
        log.ask(
            CommitEntry(
                name: names.next(), position: state.position, sequence: state.counters.sequence,
                changes: [], schema: CommitEntry.knownSchema))
    }

    /// What clients of engines and readers of topics at other stores are told.
    private func sealedNews(_ name: UInt64) throws(StoreFault) -> [UInt8] {
        let effects = transaction.effects
        guard !effects.engineNews.isEmpty || !effects.topicNews.isEmpty || !effects.quiet.isEmpty
        else { return [] }
        var news = EntryNews()
        news.quiet = effects.quiet
        news.engines = EngineNews.meant(
            effects.engineNews, for: transaction.index.engines.hasListenersElsewhere)
        for item in effects.topicNews {
            if let unkept = try UnkeptNews(item, topics) { news.topics.append(unkept) }
        }
        let record = news.record
        return record.isEmpty ? [] : try transaction.seal(record, at: Self.newsPlace(name))
    }

    /// The news of an entry; empty if it cannot be unsealed. Clients then only miss an update.
    private func news(_ entry: CommitEntry) -> EntryNews {
        guard !entry.news.isEmpty, !entry.compares,
            let record = transaction.unsealed(entry.news, at: Self.newsPlace(entry.name))
        else { return EntryNews() }
        return EntryNews(record)
    }

    private static func newsPlace(_ name: UInt64) -> Sealer.Place {
        Sealer.Place(table: "log", row: Int64(bitPattern: name), column: "news")
    }
}
