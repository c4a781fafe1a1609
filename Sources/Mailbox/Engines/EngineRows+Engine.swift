import Dialects
import EngineHost
import Notifications

extension EngineRows.Stored {
    /// The engine with its unsealed account and what was done since; nil if that cannot be read.
    /// `record` unseals a record of the journal.
    func engine(
        _ row: UInt32, _ state: [UInt8]?, _ journal: EngineJournal,
        _ templates: TelegramTemplates, record open: (Int64) throws(StoreFault) -> [UInt8]?
    ) throws(StoreFault) -> (engine: Engine, journalSize: Int)? {
        guard let state, let bytes = try AccountParts.joined(state, open),
            let account = try? Account(state: bytes)
        else { return nil }
        var engine = Engine(account)
        var journalSize = 0
        for record in journal.records(of: row) where record > self.record {
            guard let bytes = try open(record) else { return nil }
            let entries = EngineJournal.entries(of: row, in: bytes)
            guard EngineEntries.replay(entries, on: &engine, templates) else { return nil }
            journalSize += entries.count
        }
        return (engine, journalSize)
    }
}
