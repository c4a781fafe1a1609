import EngineHost

/// The journal that all engines share.
extension StoredEngines {
    private static let recordsRemovedAtOnce = 4

    /// Call this at the end of a batch.
    func keepJournal() throws(StoreFault) {
        guard let (record, engines) = journal.takeRecord() else { return }
        let position = transaction.nextPosition()
        let sealed = try transaction.seal(record, at: EngineRows.recordPlace(position))
        try rows.append(sealed, of: engines, at: position)
        journal.wrote(position, of: engines, size: sealed.count)
        try shortenJournal()
    }

    /// Shortens the journal only in batches that made it longer: a separate commit would cost as
    /// much as the batch. A batch that only ends things must not need room on a full disk.
    private func shortenJournal() throws(StoreFault) {
        for _ in 0..<Self.recordsRemovedAtOnce where journal.size > transaction.limits.engineJournal
        {
            try removeOldestRecord()
        }
    }

    /// Writes out the accounts in the oldest record, then deletes it.
    private func removeOldestRecord() throws(StoreFault) {
        let kept = journal.keptThrough
        let oldest = try rows.oldest(after: kept)
        guard let oldest else { return }
        var (isKept, isAwaited) = (false, false)
        for row in oldest.engines where journal.records(of: row).contains(oldest.record) {
            guard !drafts.isAsked(row) else {
                isAwaited = true
                continue
            }
            // Engines set aside are left for another version to try.
            guard !index.setAside.contains(.account, row) else {
                isKept = true
                continue
            }
            let outcome = try engine(row) { engine throws(StoreFault) in
                guard !engine.isLarge(for: partSize) else {
                    drafts.ask(row)
                    return .full
                }
                try save(engine)
                return .done
            }
            // An engine that cannot be read gains nothing from its journal either.
            if outcome == .full { isAwaited = true } else { journal.forget(row) }
        }
        guard !isAwaited else { return }
        guard !isKept else { return journal.keep(oldest.record, size: oldest.size) }
        try rows.remove(oldest.record)
        journal.removed(size: oldest.size, from: oldest.record)
    }

    /// Deletes every journal entry of an engine.
    func removeEntries(of row: UInt32) throws(StoreFault) {
        for number in journal.records(of: row) {
            let former = try rows.record(number)
            let place = EngineRows.recordPlace(number)
            guard let former, let bytes = transaction.unsealed(former, at: place) else { continue }
            let rest = EngineJournal.record(bytes, without: row)
            let sealed = rest.isEmpty ? [] : try transaction.seal(rest, at: place)
            if rest.isEmpty {
                try rows.remove(number)
            } else {
                try EngineRows.set(record: number, sealed, on: transaction.connection)
            }
            journal.removed(size: former.count - sealed.count, from: number)
        }
        journal.forget(row)
    }
}
