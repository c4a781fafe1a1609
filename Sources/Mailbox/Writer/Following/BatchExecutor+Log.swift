import Crypto
import Delivery
import SQLite
import System

/// Stores that stay alike by a log.
extension BatchExecutor {
    /// All tables but `state`, which is each store's own. Changes come in this order, and endpoints
    /// have to end before their devices.
    static let tables = [
        "owner", "credential", "subscription", "device", "ended_endpoint", "message", "mark",
        "replay", "registration", "undecryptable", "fetch_signal", "kept_answer", "engine",
        "engine_record", "callback", "callback_event", "share", "engine_client",
    ]

    /// Call it before any statement is prepared.
    static func recorder(on connection: borrowing Connection) throws(StoreFault) -> ChangeRecorder {
        try connection.forStore { connection throws(SQLiteError) in
            try ChangeRecorder(of: tables, on: connection)
        }
    }

    /// Writes the batch to the log.
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
            // One that is cut off was not too late: nothing was sent.
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

    /// Has all stores look at what they are after the same entry. It may get lost.
    func askForComparison() {
        log?.ask(
            CommitEntry(
                name: names.next(), position: state.position, sequence: state.counters.sequence,
                changes: [], news: CommitEntry.comparison, schema: CommitEntry.knownSchema))
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
        guard !entry.news.isEmpty, !entry.compares,
            let record = transaction.unsealed(entry.news, at: Self.newsPlace(entry.name))
        else { return [] }
        return EngineNews.news(record)
    }

    private static func newsPlace(_ name: UInt64) -> Sealer.Place {
        Sealer.Place(table: "log", row: Int64(bitPattern: name), column: "news")
    }
}
