import Base
import Crypto
import EngineHost
import Notifications
import SQLite
import System

/// What engines keep: notifications, chats, and what applications have not taken yet.
extension ExportedMoment {
    /// There is no index by owner, so a step looks at a few rows and may find none.
    func engines(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        let select = try connection.statement(
            """
            SELECT row, owner = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM registration
            JOIN device ON device.row = registration.device
            WHERE registration.engine = engine.row AND device.credential = ?2))
            FROM engine WHERE row > ?3 ORDER BY row LIMIT ?4
            """, ownerName, credential, cursor.row, Int64(limit))
        while try select.step() {
            step.visited += 1
            cursor.row = select.integer(0)
            guard select.integer(1) != 0 else { continue }
            // An account can be large, so each one ends the step.
            step.items.append(try item(UInt32(clamping: cursor.row)))
            return step
        }
        step.isLast = step.visited < limit
        return step
    }

    private func item(_ row: UInt32) throws(StoreFault) -> [UInt8] {
        guard let engine = try engine(row) else { return Self.unreadable("id", Int64(row)) }
        var writer = JSONWriter(capacity: 4_096)
        writer.object { writer in
            writer.member("id", Int(row))
            engine.writeHoldings(at: Double(store.wall), to: &writer)
        }
        return writer.bytes
    }

    /// Nil if it cannot be read, or crashed the server before.
    private func engine(_ row: UInt32) throws(StoreFault) -> Engine? {
        guard !store.setAside.contains(.account, row),
            let stored = try EngineRows.state(row, on: connection)
        else { return nil }
        let journal = try loadedJournal()
        return try Underway.mark(.account, row) { () throws(StoreFault) in
            let account = open(stored.sealed, at: EngineRows.place(row, of: stored.owner))
            return try stored.engine(row, account, journal, store.templates) {
                record throws(StoreFault) in
                try EngineRows.sealedRecord(record, on: connection).flatMap {
                    open($0, at: EngineRows.recordPlace(record))
                }
            }?.engine
        }
    }

    private func loadedJournal() throws(StoreFault) -> EngineJournal {
        if let journal { return journal }
        var loaded = EngineJournal()
        try EngineRows.loadRecords(on: connection) { loaded.wrote($0, of: $1, size: $2) }
        journal = loaded
        return loaded
    }

    private func open(_ sealed: [UInt8], at place: Sealer.Place) -> [UInt8]? {
        // Nobody can use the reason why it does not open.
        (try? sealer.open(sealed.span, at: place)).map { $0.withSpan { $0.array($0.indices) } }
    }
}
