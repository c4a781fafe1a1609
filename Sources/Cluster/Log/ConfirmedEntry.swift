import Base
import Crypto
import Mailbox
import System

/// The highest entry that a node saw in the log, which it keeps beside its store.
///
/// Servers that come back with an earlier state, from a snapshot of a machine or because disks
/// lied, do not know that they lack entries. So nodes remember the highest one, and refuse a log
/// without it.
enum ConfirmedEntry {
    private static func path(_ folder: String) -> String { folder + "/confirmed.json" }

    /// Nil if nothing was kept there.
    static func read(in folder: String) -> EntryMark? {
        // Without the file, the store itself still knows its last entry.
        (try? TextFile.read(path(folder))).flatMap { EntryMark($0) }
    }

    /// Blocks until the mark is on the disk.
    static func keep(_ mark: EntryMark, in folder: String) throws(SystemError) {
        try AtomicFile.replace(path(folder), with: mark.body.span, mode: 0o600)
    }

    /// The store follows another log from now on, or none.
    static func forget(in folder: String) {
        FileRemoval.remove(path(folder))
        WantedCopy.forget(in: folder)
    }
}

/// The mark as JSON, in the folder and at the servers.
extension EntryMark {
    /// Nil unless `body` has written it.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root, let number = root["entry"]?.integer,
            let digest = root["sha256"]?.text
        else { return nil }
        self.init(number: number, digest: digest)
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("entry", Int(number))
            writer.member("sha256", digest)
        }
        return writer.bytes
    }
}

/// That a folder is to get a copy of another node's store, which has at least this entry.
enum WantedCopy {
    private static func path(_ folder: String) -> String { folder + "/copy-wanted" }

    static func keep(_ entry: Int64, in folder: String) throws(SystemError) {
        try AtomicFile.replace(path(folder), with: Array(String(entry).utf8).span, mode: 0o600)
    }

    static func entry(in folder: String) -> Int64? {
        (try? TextFile.read(path(folder))).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    static func forget(in folder: String) { FileRemoval.remove(path(folder)) }
}

/// Whether a log still has everything that was confirmed.
struct LogContinuity {
    /// In milliseconds. A server that just started may need some time.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100

    let jetStream: JetStream

    /// `applied` is the last entry in a store, and `marks` were in the log. Blocks.
    func check(
        _ log: LogState, applied: Int64, _ marks: [EntryMark]
    ) throws(ClusterFault) {
        let confirmed = marks.reduce(applied) { max($0, $1.number) }
        guard log.last >= confirmed else {
            throw .wentBack(last: log.last, confirmed: confirmed)
        }
        for mark in marks where mark.number >= log.first {
            guard try isThere(mark) else {
                throw .wentBack(last: log.last, confirmed: mark.number)
            }
        }
    }

    /// Whether an entry after this one changes something. Blocks.
    func hasChanges(after number: Int64, through last: Int64) throws(ClusterFault) -> Bool {
        guard number < last else { return false }
        let found = try messages(from: number + 1, Int(min(last - number, 64)))
        return found.count < last - number
            || found.contains { message in
                var collector = LogPartCollector()
                let entry = collector.receive(message)?.entry
                return LogBoundary(message.message) == nil && entry?.changes.isEmpty != true
            }
    }

    /// Whether the entry is in the log, or was removed meanwhile. An entry has the number of its
    /// last message.
    private func isThere(_ mark: EntryMark) throws(ClusterFault) -> Bool {
        guard let last = try messages(from: mark.number, 1).first, last.sequence == mark.number
        else { return true }
        let count = last.message["Nats-Batch-Sequence"].flatMap { Int64($0) } ?? 1
        let first = max(1, mark.number - count + 1)
        let parts = try messages(from: first, Int(clamping: count))
        guard parts.first?.sequence == first else { return true }
        var collector = LogPartCollector()
        guard let found = parts.compactMap({ collector.receive($0) }).last else { return false }
        do throws(OpenSSLError) {
            return try EntryMark(found.entry, at: found.number) == mark
        } catch { throw .crypto(error) }
    }

    private func messages(
        from number: Int64, _ count: Int
    ) throws(ClusterFault) -> [StreamMessage] {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            let request = DirectGet.following(
                number, batch: count, bytes: count * jetStream.connection.longest)
            if case .messages(let found) = jetStream.get(request, of: LogFeed.stream),
                !found.isEmpty
            {
                return found
            }
            WorkPause.milliseconds(Self.pause)
        } while Boot.milliseconds < deadline
        throw .noAnswer
    }
}
