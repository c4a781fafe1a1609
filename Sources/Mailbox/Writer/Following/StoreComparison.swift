import Base
import Crypto
import Delivery
import SQLite
import Synchronization
import System

/// A store as it was after an entry of the log, whatever is written since.
///
/// As long as it is there, the WAL keeps what is written.
// Unchecked: one thread makes it, and another one has it afterwards; all may give it up.
package final class PinnedStore: @unchecked Sendable {
    /// So much is read before it asks whether anybody still waits.
    private static let portion = 1 << 20

    package let entry: Int64
    package static var tables: [String] { BatchExecutor.tables }
    private let connection: Connection
    private let isGivenUp = Atomic(false)

    /// Nil if the file is not as it is after that entry.
    init?(_ path: String, after entry: Int64) throws(StoreFault) {
        do throws(SQLiteError) {
            connection = try Connection(path, .readOnly)
            try connection.beginReading()
            guard try connection.integer("SELECT applied FROM state") == entry else { return nil }
        } catch { throw StoreFault(error) }
        self.entry = entry
    }

    /// Whoever reads it is to stop: what is in the WAL has to go into the file. Any thread may call it.
    func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

    /// Reads all of it: the beginning of the SHA-256 of each table, in hexadecimal digits. Nil if
    /// nobody waits for it any more, or it was given up.
    package func digests(while isWanted: () -> Bool) throws(StoreFault) -> [String]? {
        func goesOn() -> Bool { isWanted() && !isGivenUp.load(ordering: .relaxed) }
        var digests: [String] = []
        for table in Self.tables {
            guard goesOn(), let digest = try digest(of: table, goesOn) else { return nil }
            digests.append(digest)
        }
        return digests
    }

    private func digest(
        of table: String, _ isWanted: () -> Bool
    ) throws(StoreFault) -> String? {
        do {
            var hash = try SHA256()
            try hash.begin()
            var bytes: [UInt8] = []
            let rows = try connection.rows(of: table)
            while try rows.step() {
                rows.appendRow(to: &bytes)
                guard bytes.count >= Self.portion else { continue }
                guard isWanted() else { return nil }
                try hash.update(bytes.span)
                bytes.removeAll(keepingCapacity: true)
            }
            try hash.update(bytes.span)
            return String(Digest(try hash.finish()).words.0, radix: 16)
        } catch let error as SQLiteError { throw StoreFault(error) } catch let error
            as OpenSSLError
        { throw .crypto(error) } catch { return nil }
    }
}

/// Stores that stay alike by a log.
extension BatchExecutor {
    /// All tables but `state`, which is each store's own. Changes come in this order: those with
    /// triggers first, and endpoints have to end before their devices.
    static let tables = [
        "registration", "kept_answer", "engine", "callback", "owner", "credential", "subscription",
        "device", "ended_endpoint", "message", "mark", "replay", "undecryptable", "fetch_signal",
        "engine_record", "callback_event", "share", "engine_client",
    ]

    /// Call it before any statement is prepared.
    static func recorder(on connection: borrowing Connection) throws(StoreFault) -> ChangeRecorder {
        try connection.forStore { connection throws(SQLiteError) in
            try ChangeRecorder(of: tables, keeping: FollowedRows.kept, on: connection)
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
