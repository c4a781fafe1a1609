import Base
import Crypto
import Dialects
import EngineHost
import Notifications
import SQLite
import System

/// Engines on their way from and to the disk.
extension BatchExecutor {
    private static let recordsRemovedAtOnce = 4

    private enum FoundEngine {
        case loaded(LoadedEngine)
        case none
        case damaged
    }

    /// What `body` makes of an engine; `.notFound` where it has ended. One that cannot be read is our
    /// fault, and is tried again.
    func engine(
        _ row: UInt32, _ body: (LoadedEngine) throws(StoreFault) -> StoreOutcome
    ) throws(StoreFault) -> StoreOutcome {
        guard !index.setAside.contains(.account, row) else { return .unavailable }
        return try Underway.mark(.account, row) { () throws(StoreFault) in
            if let engine = engines[row] { return try body(engine) }
            switch try load(row) {
            case .none: return .notFound
            case .damaged: return .unavailable
            case .loaded(let engine):
                engines.insert(engine)
                return try body(engine)
            }
        }
    }

    /// Between batches: what is not written yet is known to nobody else.
    func giveUpEngines() {
        engines.giveUp(unless: index.engines.hasListeners)
    }

    private func load(_ row: UInt32) throws(StoreFault) -> FoundEngine {
        let stored = try rows { () throws(SQLiteError) in
            try EngineRows.state(row, on: database.connection)
        }
        guard let stored else { return .none }
        guard let state = unsealed(stored.sealed, EngineRows.place(row)),
            let account = try? Account(state: state)
        else { return .damaged }
        var engine = Engine(account)
        var journalSize = 0
        for record in journal.records(of: row) where record > stored.record {
            guard let bytes = try self.record(record) else { return .damaged }
            let entries = EngineJournal.entries(of: row, in: bytes)
            guard EngineEntries.replay(entries, on: &engine, templates) else { return .damaged }
            journalSize += entries.count
        }
        let loaded = LoadedEngine(
            row, of: stored.owner, host(engine.account), journalSize: journalSize,
            stateSize: stored.sealed.count)
        try measureRoom(of: loaded)
        return .loaded(loaded)
    }

    /// Nil where it cannot be read.
    private func record(_ record: Int64) throws(StoreFault) -> [UInt8]? {
        let sealed = try rows { () throws(SQLiteError) in
            try database.engines.record(record)
        }
        return sealed.flatMap { unsealed($0, EngineRows.recordPlace(record)) }
    }

    private func host(_ account: Account) -> HostedEngine {
        HostedEngine(account, cryptography: .openSSL, templates: templates, now: wall)
    }

    private func unsealed(_ sealed: [UInt8], _ place: Sealer.Place) -> [UInt8]? {
        // Why it does not open is of no use to the one who asks for it.
        (try? sealer.open(sealed.span, at: place)).map { $0.withSpan { $0.array($0.indices) } }
    }

    /// Seconds since 1970, as engines count them.
    var wall: Double { Double(time.reading().wall) / 1_000 }

    /// What was done to an engine is to be written with this batch.
    func keep(_ engine: LoadedEngine) throws(StoreFault) {
        let unsaved = engine.hosted.takeUnsaved()
        guard !unsaved.isEmpty else { return }
        let entries = EngineEntries.bytes(unsaved)
        engines.resize(
            engine, journal: engine.journalSize + entries.count, state: engine.stateSize)
        guard !engine.isJournalLong else { return try save(engine) }
        journal.add(entries, of: engine.row)
    }

    /// Writes the account as a whole.
    func save(_ engine: LoadedEngine) throws(StoreFault) {
        let sealed = try seal(engine.hosted.engine.account.state, EngineRows.place(engine.row))
        try rows { () throws(SQLiteError) in
            // The record of this batch comes behind it.
            try EngineRows.save(
                engine.row, through: position, sealed: sealed, on: database.connection)
        }
        journal.forget(engine.row)
        engines.resize(engine, journal: 0, state: sealed.count)
        try measureRoom(of: engine)
    }

    /// At the end of a batch.
    func keepJournal() throws(StoreFault) {
        guard let (record, engines) = journal.take() else { return }
        position += 1
        let sealed = try seal(record, EngineRows.recordPlace(position))
        try rows { () throws(SQLiteError) in
            try database.engines.append(sealed, of: engines, at: position)
        }
        journal.wrote(position, of: engines, size: sealed.count)
        try shortenJournal()
    }

    /// With a batch that made it longer, some of what is too much: a commit for nothing else would cost
    /// as much as the batch. One that only ends things must not need room on a full disk.
    private func shortenJournal() throws(StoreFault) {
        for _ in 0..<Self.recordsRemovedAtOnce where journal.size > limits.engineJournal {
            try removeOldestRecord()
        }
    }

    /// Writes the accounts of which it tells.
    private func removeOldestRecord() throws(StoreFault) {
        let kept = journal.keptThrough
        let oldest = try rows { () throws(SQLiteError) in
            try database.engines.oldest(after: kept)
        }
        guard let oldest else { return }
        var isKept = false
        for row in oldest.engines where journal.records(of: row).contains(oldest.record) {
            // What is set aside is tried again by another program.
            guard !index.setAside.contains(.account, row) else {
                isKept = true
                continue
            }
            _ = try engine(row) { engine throws(StoreFault) in
                try save(engine)
                return .done
            }
            // One that cannot be read is not to be helped by it either.
            journal.forget(row)
        }
        guard !isKept else { return journal.keep(oldest.record, size: oldest.size) }
        try rows { () throws(SQLiteError) in try database.engines.remove(oldest.record) }
        journal.removed(size: oldest.size, from: oldest.record)
    }

    /// Nothing is left of what an engine was told.
    private func removeEntries(of row: UInt32) throws(StoreFault) {
        for number in journal.records(of: row) {
            let former = try rows { () throws(SQLiteError) in
                try database.engines.record(number)
            }
            let place = EngineRows.recordPlace(number)
            guard let former, let bytes = unsealed(former, place) else { continue }
            let rest = EngineJournal.record(bytes, without: row)
            let sealed = rest.isEmpty ? [] : try seal(rest, place)
            try rows { () throws(SQLiteError) in
                if rest.isEmpty { return try database.engines.remove(number) }
                try EngineRows.set(record: number, sealed, on: database.connection)
            }
            journal.removed(size: former.count - sealed.count, from: number)
        }
        journal.forget(row)
    }

    /// The engine of a new registration, made if it is the first of its account.
    func engine(for registration: Registration) throws(StoreFault) -> UInt32 {
        let terms = registration.terms
        let name = try hashing { hash throws(OpenSSLError) in
            try EngineName(
                account: terms.account, app: terms.app, user: terms.userID, key: keys.endpoint,
                &hash)
        }
        let former = try rows { () throws(SQLiteError) in
            try EngineRows.find(name, owner: registration.owner, on: database.connection).first
        }
        if let former {
            try learn(terms.userID, name.user, former.row)
            try heed(terms, former.row)
            return former.row
        }
        let row = registration.device
        let account = Self.account(of: [registration])
        let sealed = try seal(account.state, EngineRows.place(row))
        try rows { () throws(SQLiteError) in
            try EngineRows.insert(
                row, owner: registration.owner, name, sealed: sealed, on: database.connection)
        }
        effects.changes.append(.engines)
        return row
    }

    func hashing<Result>(
        _ body: (inout SHA256) throws(OpenSSLError) -> Result
    ) throws(StoreFault) -> Result {
        do throws(OpenSSLError) { return try body(&hash) } catch { throw .crypto(error) }
    }

    /// A later registration may be the first to say whose account it is.
    private func learn(
        _ userID: Int64?, _ user: [UInt8]?, _ row: UInt32
    ) throws(StoreFault) {
        guard let userID, let user else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            guard engine.hosted.engine.account.userID == 0 else { return .done }
            try rows { () throws(SQLiteError) in
                try EngineRows.set(user: user, of: row, on: database.connection)
            }
            return try request(.setUser(userID), engine)
        }
    }

    /// What counts on, so that no number serves twice.
    struct Counters {
        private let notification: Notification.ID
        private let owed: Int64

        init(_ account: Account) {
            notification = account.lastNotificationID
            owed = account.owed.lastID
        }

        func raise(_ account: inout Account) {
            account.lastNotificationID = notification
            account.owed.lastID = owed
        }
    }

    /// One that was logged out begins anew.
    func beginAnew(
        _ engine: LoadedEngine, after former: Counters
    ) throws(StoreFault) {
        let registrations = try registrations(of: engine.row)
        guard !registrations.isEmpty else { return }
        var account = Self.account(of: registrations)
        former.raise(&account)
        engine.hosted = host(account)
        try save(engine)
    }

    /// With its last registration. Its clients are told that nothing is there any more.
    func endEngine(_ row: UInt32) throws(StoreFault) {
        if index.engines.hasListeners(row) {
            _ = try engine(row) { engine in
                engine.hosted.engine.logOut()
                tell(engine.row, .updates(engine.hosted.engine.takeUpdates()))
                return .done
            }
        }
        tell(row, .ended)
        effects.changes.append(.engines)
        engines.remove(row)
        try removeEntries(of: row)
        _ = index.engines.takeAbsence(of: row)
        try rows { () throws(SQLiteError) in
            try EngineRows.delete(row, on: database.connection)
        }
    }
}
