import Base
import Dialects
import Notifications

/// An engine in the writer's memory, with how far it is on the disk.
final class LoadedEngine {
    let row: UInt32
    var hosted: HostedEngine
    /// The last entry of its journal.
    var entry: Int64
    /// Bytes of what stands in the journal, and of the account as it was written last.
    var journalSize: Int
    var stateSize: Int
    /// What listeners were told last.
    var deadline: Double?

    /// Below this the journal may grow whatever the size of the account.
    private static let smallJournal = 64 << 10

    init(
        _ row: UInt32, _ hosted: HostedEngine, entry: Int64, journalSize: Int, stateSize: Int
    ) {
        self.row = row
        self.hosted = hosted
        self.entry = entry
        self.journalSize = journalSize
        self.stateSize = stateSize
    }

    /// So that an entry costs the same however large the account is.
    var isJournalLong: Bool { journalSize > max(Self.smallJournal, stateSize) }
}

/// What was done together, as one entry of the journal.
enum EngineJournal {
    static func bytes(_ entries: [(time: Double, entry: EngineEntry)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (time, entry) in entries {
            let text = entry.bytes
            bytes.append(bigEndian: time.bitPattern)
            bytes.append(bigEndian: UInt32(text.count))
            bytes += text
        }
        return bytes
    }

    /// Does again what an entry says; false where it is none of ours.
    static func replay(
        _ bytes: [UInt8], on engine: inout Engine, _ templates: TelegramTemplates
    ) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= headLength else { return false }
            let time = Double(bitPattern: number(rest.prefix(8)))
            let count = Int(number(rest.dropFirst(8).prefix(4)))
            guard rest.count - headLength >= count,
                let entry = try? EngineEntry(Array(rest.dropFirst(headLength).prefix(count)))
            else { return false }
            if !engine.isRunning { engine.start(now: time) }
            _ = engine.perform(entry, templates: templates, now: time)
            _ = engine.takeUpdates()
            rest = rest.dropFirst(headLength + count)
        }
        return true
    }

    private static let headLength = 12

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
