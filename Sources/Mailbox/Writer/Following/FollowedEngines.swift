import SQLite

/// What the rows of engines that another store changed mean for the memory of this one.
struct FollowedEngines {
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

    /// `row` belongs to the table of engines.
    mutating func read(engine row: borrowing ChangeReader) {
        let engine = row.number("row")
        changed.insert(engine)
        rewritten.append(engine)
        let position = row.kind == .delete ? Int64.max : row.new("position")?.integer
        if let position { saved.append((engine, position)) }
    }

    /// `row` belongs to the table of journal records.
    mutating func read(record row: borrowing ChangeReader) {
        let record = row.last("position")?.integer ?? 0
        let (former, now) = (row.old("sealed"), row.new("sealed"))
        let size = (former: former?.bytes?.count ?? 0, now: now?.bytes?.count ?? 0)
        let bytes = row.last("engines")?.bytes ?? []
        let engines = EngineRows.engines(bytes.span)
        guard !AccountParts.isPart(bytes.span) else {
            let isGone = row.kind == .delete
            if row.kind != .update { parts += engines.map { (record, $0, isGone) } }
            return
        }
        switch row.kind {
        case .insert:
            changed.formUnion(engines)
            newRecords.append((record, engines, size.now))
        case .delete: lostRecords.append((record, engines, size.former))
        case .update: shortenedRecords.append((record, size.former - size.now))
        }
    }

    /// `row` belongs to the table of registrations: what an engine knows of all of them has changed.
    mutating func read(registration row: borrowing ChangeReader) {
        for value in [row.old("engine"), row.new("engine")] {
            if let engine = value?.integer { changed.insert(UInt32(clamping: engine)) }
        }
    }
}

/// Batches of several stores.
extension StoredEngines {
    /// From now on, a batch can be taken back.
    func begin() {
        touched = []
        formerDrafts = drafts
        journal.begin()
    }

    /// The batch did not count: what it changed is read again when it is needed.
    func takeBack() {
        for row in touched ?? [] { loaded.remove(row) }
        drafts = formerDrafts
        journal.takeBack()
        consequences = []
    }

    /// Another store has changed these engines.
    func follow(_ changes: FollowedEngines) {
        for row in changes.changed { loaded.remove(row) }
        for (part, engine, isGone) in changes.parts {
            if isGone {
                drafts.removed(part, of: engine)
            } else {
                drafts.wrote(part, of: engine)
            }
        }
        for row in changes.rewritten { drafts.cancel(row) }
        for (row, position) in changes.saved { journal.forget(row, through: position) }
        for (record, engines, size) in changes.lostRecords {
            journal.lost(record, of: engines, size: size)
        }
        for (record, size) in changes.shortenedRecords { journal.removed(size: size, from: record) }
        for (record, engines, size) in changes.newRecords {
            journal.wrote(record, of: engines, size: size)
        }
    }
}

/// The clients of engines, as the stores tell each other.
extension StoredEngines {
    /// Reads who has which clients. Rows of this node are left from its last run.
    func beginSharing(as node: String, _ wake: @escaping @Sendable () -> Void) throws(StoreFault) {
        var own: [UInt32] = []
        let select = try transaction.connection.statement(
            "SELECT engine, node, fetchers FROM engine_client")
        while try select.step() {
            let (engine, other) = (UInt32(clamping: select.integer(0)), select.text(1))
            if other == node {
                own.append(engine)
            } else {
                let count = RemoteClients.Count(fetchers: Int(select.integer(2)))
                index.engines.set(count, of: engine, at: other)
            }
        }
        index.engines.share(own, wake)
    }

    /// Writes down which clients these engines have here.
    func share(_ engines: Set<UInt32>, as node: String) throws(StoreFault) {
        for engine in engines {
            guard let count = index.engines.clientsHere(engine) else {
                try transaction.connection.run(
                    "DELETE FROM engine_client WHERE node = ?1 AND engine = ?2", node, engine)
                continue
            }
            try transaction.connection.run(
                """
                INSERT INTO engine_client VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET fetchers = ?3
                """, engine, node, Int64(count.fetchers))
        }
    }

    /// The node has ended without a word, so its clients are gone too.
    func lose(node: String) throws(StoreFault) -> StoreOutcome {
        let engines = try transaction.connection.rows(
            "DELETE FROM engine_client WHERE node = ?1 RETURNING engine", node)
        for engine in engines {
            transaction.effects.changes.append(.clients(engine, node: node, nil))
        }
        return engines.isEmpty ? .notFound : .done
    }
}
