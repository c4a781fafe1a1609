import Crypto
import Notifications
import System

/// Loading and saving engines.
extension StoredEngines {
    private enum FoundEngine {
        case loaded(LoadedEngine, isRestored: Bool)
        case none
        case damaged
    }

    /// Loads the engine and runs `body` on it; `.notFound` if it has ended. An engine that cannot
    /// be read is our fault, so the operation can be tried again.
    func engine(
        _ row: UInt32, _ body: (LoadedEngine) throws(StoreFault) -> StoreOutcome
    ) throws(StoreFault) -> StoreOutcome {
        guard !index.setAside.contains(.account, row) else { return .unavailable }
        touched?.insert(row)
        return try CrashMarker.mark(.account, row) { () throws(StoreFault) in
            if let engine = loaded[row] { return try body(engine) }
            switch try load(row) {
            case .none: return .notFound
            case .damaged: return .unavailable
            case .loaded(let engine, let isRestored):
                loaded.insert(engine)
                if isRestored { try raiseCounters(of: engine) }
                return try body(engine)
            }
        }
    }

    /// Call this only between batches, because unwritten changes exist nowhere else.
    func giveUp() {
        loaded.giveUp(unless: index.engines.hasListenersHere)
    }

    private func load(_ row: UInt32) throws(StoreFault) -> FoundEngine {
        let stored = try EngineRows.state(row, on: transaction.connection)
        guard let stored else { return .none }
        let state = transaction.unsealed(
            stored.sealed, at: EngineRows.place(row, of: stored.owner))
        let found = try stored.engine(row, state, journal, templates, record: record)
        guard let found else { return .damaged }
        let loaded = LoadedEngine(
            row, of: stored.owner, host(found.engine.account), journalSize: found.journalSize,
            stateSize: stored.size)
        try measureRoom(of: loaded)
        return .loaded(loaded, isRestored: stored.isRestored)
    }

    /// After a restore: the numbers that were given since the backup are not used again.
    private func raiseCounters(of engine: LoadedEngine) throws(StoreFault) {
        var account = engine.hosted.engine.account
        Counters(account).raise(&account, by: Self.restoredJump)
        engine.hosted = host(account)
        try save(engine)
    }

    private static let restoredJump: Int32 = 100_000

    /// Nil if it cannot be read.
    func record(_ record: Int64) throws(StoreFault) -> [UInt8]? {
        let sealed = try rows.record(record)
        return sealed.flatMap { transaction.unsealed($0, at: EngineRows.recordPlace(record)) }
    }

    private func host(_ account: Account) -> HostedEngine {
        HostedEngine(account, cryptography: .openSSL, templates: templates, now: wall)
    }

    /// Seconds since 1970, as engines count them.
    var wall: Double { Double(transaction.time.reading().wall) / 1_000 }

    /// Queues the engine's new entries for this batch's journal record.
    func keep(_ engine: LoadedEngine) throws(StoreFault) {
        let unsaved = engine.hosted.takeUnsaved()
        guard !unsaved.isEmpty else { return }
        let entries = EngineEntries.bytes(unsaved)
        loaded.resize(
            engine, journal: engine.journalSize + entries.count, state: engine.stateSize)
        if engine.isJournalLong {
            guard engine.isLarge(for: partSize) else { return try save(engine) }
            drafts.ask(engine.row)
        }
        journal.add(entries, of: engine.row)
    }

    /// Writes the whole account in this batch.
    func save(_ engine: LoadedEngine) throws(StoreFault) {
        let sealed = try transaction.seal(
            engine.hosted.engine.account.state,
            at: EngineRows.place(engine.row, of: engine.owner))
        // This batch's journal record gets a later position.
        try EngineRows.save(
            engine.row, through: transaction.position, sealed: sealed, on: transaction.connection)
        journal.forget(engine.row)
        drafts.cancel(engine.row)
        loaded.resize(engine, journal: 0, state: sealed.count)
        try measureRoom(of: engine)
    }

    /// The engine for a new registration, created if this is the first of its account.
    func engine(for registration: Registration) throws(StoreFault) -> UInt32 {
        let terms = registration.terms
        let name = try transaction.hashing { key, hash throws(OpenSSLError) in
            try EngineNameHashes(
                account: terms.account, app: terms.app, user: terms.userID, key: key, &hash)
        }
        let former = try EngineRows.find(
            name, owner: registration.owner, on: transaction.connection
        )
        .first
        if let former {
            try learn(terms.userID, name.user, former.row)
            try applyRinging(terms, former.row)
            return former.row
        }
        let row = registration.device
        let account = self.account(of: [registration])
        let sealed = try transaction.seal(
            account.state, at: EngineRows.place(row, of: registration.owner))
        try EngineRows.insert(
            row, owner: registration.owner, name, sealed: sealed, on: transaction.connection)
        transaction.effects.changes.append(.engines)
        return row
    }

    /// A later registration may be the first to name the account's user.
    private func learn(
        _ userID: Int64?, _ user: [UInt8]?, _ row: UInt32
    ) throws(StoreFault) {
        guard let userID, let user else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            guard engine.hosted.engine.account.userID == 0 else { return .done }
            try EngineRows.set(user: user, of: row, on: transaction.connection)
            return try request(.setUser(userID), engine)
        }
    }

    /// Counters that continue, so that no number is used twice.
    struct Counters {
        private let notification: Notification.ID
        private let owed: Int64

        init(_ account: Account) {
            notification = account.lastNotificationID
            owed = account.owed.lastID
        }

        func raise(_ account: inout Account, by jump: Int32 = 0) {
            // An account with higher numbers could not be read again.
            account.lastNotificationID = min(notification + jump, .max / 2 - 1)
            account.owed.lastID = min(owed + Int64(jump), .max / 2 - 1)
        }
    }

    /// Starts a logged-out engine afresh.
    func beginAnew(
        _ engine: LoadedEngine, after former: Counters
    ) throws(StoreFault) {
        let registrations = try transaction.registrations(of: engine.row)
        guard !registrations.isEmpty else { return }
        var account = self.account(of: registrations)
        former.raise(&account)
        engine.hosted = host(account)
        try save(engine)
    }

    /// Ends the engine with its last registration, and tells its clients that everything is gone.
    func endEngine(_ row: UInt32) throws(StoreFault) {
        if index.engines.hasListeners(row) {
            _ = try engine(row) { engine in
                engine.hosted.engine.logOut()
                publish(engine.row, .updates(engine.hosted.engine.takeUpdates()))
                return .done
            }
        }
        publish(row, .ended)
        transaction.effects.changes.append(.engines)
        loaded.remove(row)
        drafts.cancel(row)
        try removeEntries(of: row)
        for part in drafts.parts(of: row) { try remove(part: part, of: row) }
        _ = index.engines.takeAbsence(of: row)
        try EngineRows.delete(row, on: transaction.connection)
        let clients = try transaction.connection.statement(
            "DELETE FROM engine_client WHERE engine = ?1 RETURNING node", row)
        while try clients.step() {
            transaction.effects.changes.append(.clients(row, node: clients.text(0), nil))
        }
    }
}
