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
        for entry in log?.entries(after: state.applied) ?? [] { try follow(entry) }
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
        guard next.number == state.applied + 1 else { throw .undecided }
        var rows = try FollowedRows(next.entry.changes)
        engines.giveUp()
        try make(next)
        try lookUp(&rows)
        transaction.effects = rows.effects
        messages.followed(rows.messages, rows.effects.ended)
        marks.committed()
        transaction.effects.apply(to: transaction.index)
        transaction.effects.empty()
        try engines.follow(rows)
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
        let connection = transaction.connection
        for row in rows.devices {
            let select = try connection.statement(
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
            let found = try CredentialRows.load(from: connection, row: row)
            if let found { rows.add(.credential(found)) }
        }
        for row in rows.callbacks {
            let select = try connection.statement("SELECT state FROM callback WHERE row = ?1", row)
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
