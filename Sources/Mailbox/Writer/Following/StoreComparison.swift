import Base
import Crypto
import SQLite
import Synchronization
import System

/// A store as it was after an entry of the log, whatever is written since.
///
/// As long as one exists, the WAL cannot be emptied.
// Unchecked: one thread makes it, and another one has it afterwards; all may give it up.
package final class PinnedStore: @unchecked Sendable {
    /// How many bytes are read before `isWanted` is asked again.
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

    /// Makes `digests` stop, because the WAL has to be copied into the file. Any thread may call
    /// it.
    func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

    /// Reads the whole store. Returns the beginning of the SHA-256 of each table, in hexadecimal
    /// digits; nil if the digests are not wanted any more, or the store was given up.
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
    /// Asks all stores, by an entry, to compare what they contain after that entry. The entry may
    /// get lost.
    func askForComparison() {
        log?.ask(
            CommitEntry(
                name: names.next(), position: state.position, sequence: state.counters.sequence,
                changes: [], news: CommitEntry.comparison, schema: CommitEntry.knownSchema))
    }

    /// Keeps the store as it is after the last of these entries, if it asks for a comparison. Call
    /// this before anything else is written. If it fails, this store takes part the next time.
    func pin(_ entries: ArraySlice<NumberedEntry>) {
        guard let last = entries.last, last.entry.compares,
            transaction.index.isCompared.load(ordering: .relaxed)
        else { return }
        pinned = (try? PinnedStore(path, after: last.number)).flatMap(\.self)
    }
}
