import Base
import Crypto
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

/// What is compared with other stores.
extension BatchExecutor {
    /// Has all stores look at what they are after the same entry. It may get lost.
    func askForComparison() {
        log?.ask(
            CommitEntry(
                name: names.next(), position: state.position, sequence: state.counters.sequence,
                changes: [], news: CommitEntry.comparison, schema: CommitEntry.knownSchema))
    }

    /// Before anything else is written. If that fails, this store is compared next time.
    func pin(_ entries: ArraySlice<NumberedEntry>) {
        guard let last = entries.last, last.entry.compares,
            transaction.index.isCompared.load(ordering: .relaxed)
        else { return }
        pinned = (try? PinnedStore(path, after: last.number)).flatMap(\.self)
    }
}
