import Base
import Delivery
import SQLite
import System
import WebPush

/// Entries that other stores wrote.
extension BatchExecutor {
    /// In milliseconds.
    private static let patience: Int64 = 3_000

    /// Follows all entries that have arrived.
    func catchUp() throws(StoreFault) {
        guard let log else { return }
        while true {
            let entries = log.entries(after: state.applied)
            if entries.isEmpty { return }
            for entry in entries { try follow(entry) }
        }
    }

    /// Does work that nobody waits for. If other stores write at the same time, it is done later.
    func unlessOutdated(_ body: () throws(StoreFault) -> Void) throws(StoreFault) {
        do throws(StoreFault) { try body() } catch { guard error == .outdated else { throw error } }
    }

    /// Tells the other stores which engines have clients here.
    func shareClients() throws(StoreFault) {
        if transaction.index.engines.hasUnshared { try commitNothing() }
    }

    /// Gets new row numbers before the last ones are given.
    func keepNumbers() {
        guard let log, transaction.index.isLowOnNumbers, let block = log.takeNumbers()
        else { return }
        transaction.index.add(block)
    }

    /// Carries out operations after what others have written. Nil if others write without a pause.
    func runInTurn(_ submissions: ArraySlice<Submission>) throws(StoreFault) -> [StoreOutcome]? {
        let end = Boot.milliseconds + Self.patience
        repeat {
            try catchUp()
            do throws(StoreFault) { return try run(submissions) } catch {
                guard error == .outdated else { throw error }
            }
        } while Boot.milliseconds < end
        return nil
    }

    /// Makes the changes of the next entry, in the file and then in memory.
    func follow(_ next: NumberedEntry) throws(StoreFault) {
        guard next.number > state.applied else { return }
        var rows = try FollowedRows(next.entry.changes)
        engines.giveUp()
        try make(next)
        try lookUp(&rows)
        transaction.effects = rows.effects
        let effects = rows.effects
        transaction.effects.elsewhere.stored = try messages.followed(rows.messages, effects.ended)
        transaction.effects.elsewhere.ended = rows.early(at: transaction.time.now)
        transaction.effects.engineNews = news(next.entry)
        engines.follow(rows.engines)
        transaction.effects.apply(to: transaction.index)
        marks.committed()
        transaction.effects.empty()
        transaction.nextExpiry = try firstExpiry()
    }

    private func make(_ numbered: NumberedEntry) throws(StoreFault) {
        let entry = numbered.entry
        transaction.raisePosition(to: entry.position)
        transaction.index.raiseSequence(to: entry.sequence)
        var next = state
        next.batch += 1
        next.position = transaction.position
        next.counters = transaction.index.counters
        next.anchor = transaction.time.anchor
        next.applied = numbered.number
        try begin.run()
        do throws(StoreFault) {
            try transaction.connection.forStore { connection throws(SQLiteError) in
                try connection.apply(changes: entry.changes)
            }
            try stateRow.write(next)
            try end.run()
        } catch {
            transaction.connection.rollBack()
            throw error
        }
        state = next
    }

    /// Adds what only the new rows tell.
    private func lookUp(_ rows: inout FollowedRows) throws(StoreFault) {
        for row in rows.devices {
            let select = try transaction.connection.statement(
                "SELECT user_agent, credential, owner, created FROM device WHERE row = ?1", row)
            guard try select.step(), let userAgent = select.withBytes(0, { Digest($0) })
            else { continue }
            let device = KnownUserAgent(
                row: UInt32(clamping: row), userAgent: userAgent,
                credential: select.isNull(1) ? nil : UInt32(clamping: select.integer(1)),
                created: select.integer(3))
            rows.add(.device(device, owner: UInt32(clamping: select.integer(2))))
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
            """
            SELECT row, device, kind, sender, key_hash, endpoint FROM subscription WHERE row = ?1
            """, row)
        guard try select.step(), let endpoint = SubscriptionRows.endpoint(select),
            let digest = select.withBytes(5, { Digest($0) })
        else { return nil }
        return (endpoint, digest)
    }
}
