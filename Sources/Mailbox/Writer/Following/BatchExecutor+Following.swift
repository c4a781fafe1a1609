import Base
import Delivery
import SQLite
import System
import WebPush

/// Entries that other stores wrote.
extension BatchExecutor {
    /// In milliseconds.
    private static let patience: Int64 = 3_000
    /// So many entries are followed in one transaction, unless they are long.
    private static let entriesAtOnce = 256
    private static let bytesAtOnce = 4 << 20

    /// Follows all entries that have arrived. False if there are more at the `end`.
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

    /// Carries out operations after what others have written. Nil if others write without a pause.
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

    /// Does work that nobody waits for. If other stores write at the same time, it is done later.
    func unlessOutdated(_ body: () throws(StoreFault) -> Void) throws(StoreFault) {
        do throws(StoreFault) { try body() } catch { guard error == .outdated else { throw error } }
    }

    /// Tells the other stores which engines have clients here. Not while they do not answer, when
    /// all clients are sent away: a commit of which nobody knows would close the store.
    func shareClients() throws(StoreFault) {
        guard let log, log.isCurrent, transaction.index.engines.hasUnshared else { return }
        try commitNothing()
    }

    /// Gets new row numbers before the last ones are given.
    func keepNumbers() {
        guard let log, transaction.index.isLowOnNumbers, let block = log.takeNumbers()
        else { return }
        transaction.index.add(block)
    }

    /// Makes the changes of the next entries, in the file and then in memory.
    private func follow(_ entries: ArraySlice<NumberedEntry>) throws(StoreFault) {
        guard let last = entries.last, last.number > state.applied else { return }
        var rows = FollowedRows(node: source?.node)
        var news: [EngineNews] = []
        for next in entries {
            try rows.read(next.entry.changes)
            news += self.news(next.entry)
        }
        engines.giveUp()
        transaction.effects.empty()
        try make(entries, through: last) { () throws(StoreFault) in
            try lookUp(&rows)
            // If nobody knows whether the commit was done, they wait for that.
            transaction.effects = rows.effects
            transaction.effects.counted = rows.messages
            transaction.effects.elsewhere.stored = rows.messages.map {
                ($0.address.device, $0.position)
            }
            transaction.effects.elsewhere.ended = rows.early(at: transaction.time.now)
            transaction.effects.engineNews = news
            transaction.nextExpiry = try firstExpiry()
        }
        let now = Boot.milliseconds
        for entry in entries.map(\.entry) where entry.writer != names.writer {
            turns.followed(entry.writer, asks: entry.asks, at: now)
        }
        messages.followed(rows.messages, rows.effects.ended)
        engines.follow(rows.engines)
        transaction.effects.apply(to: transaction.index)
        marks.committed()
        transaction.effects.empty()
        tellClients(rows.ownClients)
        pin(entries)
    }

    /// Before anything else is written. If that fails, this store is compared next time.
    private func pin(_ entries: ArraySlice<NumberedEntry>) {
        guard let last = entries.last, last.entry.compares,
            transaction.index.isCompared.load(ordering: .relaxed)
        else { return }
        pinned = (try? PinnedStore(path, after: last.number)).flatMap(\.self)
    }

    /// Another node took this one for lost, or this node wrote it before it was opened again: who
    /// listens here is written down anew, and the clients start over, because they missed news.
    private func tellClients(_ engines: [UInt32]) {
        guard !engines.isEmpty else { return }
        transaction.index.engines.shareAgain(engines)
        transaction.index.engines.notifyStoreReturned()
    }

    private func make(
        _ entries: ArraySlice<NumberedEntry>, through last: NumberedEntry,
        _ lookUp: () throws(StoreFault) -> Void
    ) throws(StoreFault) {
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
            try apply(entries)
            try lookUp()
            try stateRow.write(next)
            try end.run()
        } catch {
            transaction.connection.rollBack()
            throw error
        }
        state = next
    }

    /// SQLite's own function is slower, and knows what to do with rows that are in each other's way.
    private func apply(_ entries: ArraySlice<NumberedEntry>) throws(StoreFault) {
        do throws(StoreFault) {
            try apply(entries) { changes, connection throws(SQLiteError) in
                try applier.canApply(changes, to: connection)
                    ? applier.apply(changes, to: connection) : connection.apply(changes: changes)
            }
        } catch {
            transaction.connection.rollBack()
            try begin.run()
            try apply(entries) { changes, connection throws(SQLiteError) in
                try connection.apply(changes: changes)
            }
        }
    }

    /// Changes that do not fit anywhere else would not be in the log: this store is another one.
    private func apply(
        _ entries: ArraySlice<NumberedEntry>,
        _ body: ([UInt8], borrowing Connection) throws(SQLiteError) -> Void
    ) throws(StoreFault) {
        for next in entries {
            do throws(SQLiteError) { try body(next.entry.changes, transaction.connection) } catch {
                guard let table = error.table else { throw StoreFault(error) }
                throw .differs(StoreDifference(table: table, entry: next.number))
            }
        }
    }

    /// Adds what only the new rows tell.
    private func lookUp(_ rows: inout FollowedRows) throws(StoreFault) {
        for row in rows.devices {
            let select = try transaction.connection.statement(
                DeviceRows.query + " WHERE row = ?1", row)
            guard try select.step(), let (device, owner) = DeviceRows.device(select) else {
                continue
            }
            rows.add(.device(device, owner: owner))
        }
        for row in rows.newSubscriptions {
            guard let (endpoint, digest) = try endpoint(row) else { continue }
            rows.add(.endpoint(endpoint, digest))
        }
        for row in rows.boundSubscriptions {
            guard let (endpoint, digest) = try endpoint(row), case .key(let hash) = endpoint.sender
            else { continue }
            rows.add(.boundEndpoint(digest, hash))
        }
        for row in rows.credentials {
            let found = try CredentialRows.load(from: transaction.connection, row: row)
            if let found { rows.add(.credential(found)) }
        }
        for row in rows.registrations {
            let engine = try engines.engine(ofDevice: UInt32(clamping: row))
            if let engine { rows.add(changedEngine: engine) }
        }
        for row in rows.callbacks {
            let select = try transaction.connection.statement(
                "SELECT state FROM callback WHERE row = ?1", row)
            guard try select.step() else { continue }
            rows.add(
                .callback(
                    UInt32(clamping: row),
                    isGone: select.integer(0) == CallbackState.gone.rawValue))
        }
    }

    private func endpoint(_ row: Int64) throws(StoreFault) -> (Endpoint, Digest)? {
        let select = try transaction.connection.statement(
            SubscriptionRows.endpointQuery + " WHERE row = ?1", row)
        return try select.step() ? SubscriptionRows.endpointAndDigest(select) : nil
    }
}
