import SQLite

/// What the rows of engines that another store changed mean for the memory of this one.
struct FollowedEngines {
    /// Columns by their place, as the migrations leave the tables.
    private enum Column {
        static let enginePosition: Int32 = 5
        static let recordEngines: Int32 = 1
        static let recordSealed: Int32 = 2
        static let registrationEngine: Int32 = 6
    }

    /// Engines that are not as they were.
    private(set) var changed: Set<UInt32> = []
    /// Those whose account another store has written, or changed otherwise.
    private(set) var rewritten: [UInt32] = []
    /// Those whose whole account was written, with the last record it contains, or that have ended.
    private(set) var saved: [(engine: UInt32, through: Int64)] = []
    private(set) var newRecords: [(record: Int64, engines: [UInt32], size: Int)] = []
    private(set) var lostRecords: [(record: Int64, engines: [UInt32], size: Int)] = []
    private(set) var shortenedRecords: [(record: Int64, size: Int)] = []
    /// Parts of accounts, in the order in which they were written and removed.
    private(set) var parts: [(part: Int64, engine: UInt32, isGone: Bool)] = []

    mutating func read(engine row: UInt32, _ change: borrowing ChangeReader, isGone: Bool) {
        changed.insert(row)
        rewritten.append(row)
        let position = isGone ? Int64.max : change.new(Column.enginePosition)?.integer
        if let position { saved.append((row, position)) }
    }

    /// `row` belongs to the table of journal records.
    mutating func read(
        record: Int64, _ kind: ChangeReader.Kind, _ row: borrowing ChangeReader
    ) {
        let (former, now) = (row.old(Column.recordSealed), row.new(Column.recordSealed))
        let size = (former: former?.bytes?.count ?? 0, now: now?.bytes?.count ?? 0)
        let value = row.new(Column.recordEngines) ?? row.old(Column.recordEngines)
        let bytes = value?.bytes ?? []
        let engines = EngineRows.engines(bytes.span)
        guard !AccountParts.isPart(bytes.span) else {
            if kind != .update { parts += engines.map { (record, $0, kind == .delete) } }
            return
        }
        switch kind {
        case .insert:
            changed.formUnion(engines)
            newRecords.append((record, engines, size.now))
        case .delete: lostRecords.append((record, engines, size.former))
        case .update: shortenedRecords.append((record, size.former - size.now))
        }
    }

    /// `row` belongs to the table of registrations: what an engine knows of all of them has changed.
    mutating func read(registration row: borrowing ChangeReader) {
        for value in [row.old(Column.registrationEngine), row.new(Column.registrationEngine)] {
            if let engine = value?.integer { changed.insert(UInt32(clamping: engine)) }
        }
    }

    mutating func add(changed row: UInt32) { changed.insert(row) }
}
