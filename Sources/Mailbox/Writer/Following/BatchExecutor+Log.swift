import Crypto
import Delivery
import SQLite
import System

/// Stores that stay alike by a log.
extension BatchExecutor {
    /// All tables but `state`, which is each store's own. Changes come in this order, and endpoints
    /// have to end before their devices.
    private static let tables = [
        "owner", "credential", "subscription", "device", "ended_endpoint", "message", "mark",
        "replay", "registration", "undecryptable", "fetch_signal", "kept_answer", "engine",
        "engine_record", "callback", "callback_event", "share", "engine_client",
    ]

    /// Records what the batch changes; nil in a store of its own.
    func session() throws(StoreFault) -> ChangeSession? {
        guard log != nil else { return nil }
        return try transaction.connection.forStore { connection throws(SQLiteError) in
            let session = try ChangeSession(on: connection)
            try session.record(Self.tables)
            return session
        }
    }

    /// Writes the batch to the log, and returns the number of its entry.
    func writeDown(
        _ session: borrowing ChangeSession?, _ next: StateRow.Values
    ) throws(StoreFault) -> Int64 {
        guard let log else { return next.applied }
        let changes = try changes(session)
        guard !changes.isEmpty else { return next.applied }
        let name = names.next()
        let entry = CommitEntry(
            name: name, position: next.position, sequence: next.counters.sequence,
            changes: changes, news: try sealedNews(name), schema: CommitEntry.knownSchema)
        let began = Boot.milliseconds
        switch log.append(entry, after: next.applied) {
        case .appended(let number):
            turns.wrote(from: began, to: Boot.milliseconds)
            return number
        case .outdated:
            turns.cameTooLate(at: Boot.milliseconds)
            throw .outdated
        case .unknown: throw .undecided
        }
    }

    /// What engines tell clients at other stores.
    private func sealedNews(_ name: UInt64) throws(StoreFault) -> [UInt8] {
        let news = transaction.effects.engineNews
        guard !news.isEmpty else { return [] }
        let record = EngineNews.record(news, for: transaction.index.engines.hasListenersElsewhere)
        return record.isEmpty ? [] : try transaction.seal(record, at: Self.newsPlace(name))
    }

    /// None if they cannot be unsealed: then the clients only miss what they would be told.
    func news(_ entry: CommitEntry) -> [EngineNews] {
        guard !entry.news.isEmpty,
            let record = transaction.unsealed(entry.news, at: Self.newsPlace(entry.name))
        else { return [] }
        return EngineNews.news(record)
    }

    private static func newsPlace(_ name: UInt64) -> Sealer.Place {
        Sealer.Place(table: "log", row: Int64(bitPattern: name), column: "news")
    }

    private func changes(_ session: borrowing ChangeSession?) throws(StoreFault) -> [UInt8] {
        switch session {
        case .none: return []
        case .some(let session):
            do throws(SQLiteError) { return try session.changes() } catch {
                throw StoreFault(error)
            }
        }
    }
}
