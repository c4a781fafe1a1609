import EngineHost

/// The journal that all engines share.
extension StoredEngines {
    private static let recordsRemovedAtOnce = 4

    /// At the end of a batch.
    func keepJournal() throws(StoreFault) {
        guard let (record, engines) = journal.takeRecord() else { return }
        let position = transaction.nextPosition()
        let sealed = try transaction.seal(record, at: EngineRows.recordPlace(position))
        try rows.append(sealed, of: engines, at: position)
        journal.wrote(position, of: engines, size: sealed.count)
        try shortenJournal()
    }

    /// With a batch that made it longer, some of what is too much: a commit for nothing else would cost
    /// as much as the batch. One that only ends things must not need room on a full disk.
    private func shortenJournal() throws(StoreFault) {
        for _ in 0..<Self.recordsRemovedAtOnce where journal.size > transaction.limits.engineJournal
        {
            try removeOldestRecord()
        }
    }

    /// Writes the accounts of which it tells.
    private func removeOldestRecord() throws(StoreFault) {
        let kept = journal.keptThrough
        let oldest = try rows.oldest(after: kept)
        guard let oldest else { return }
        var isKept = false
        for row in oldest.engines where journal.records(of: row).contains(oldest.record) {
            // What is set aside is tried again by another program.
            guard !index.setAside.contains(.account, row) else {
                isKept = true
                continue
            }
            _ = try engine(row) { engine throws(StoreFault) in
                try save(engine)
                return .done
            }
            // One that cannot be read is not to be helped by it either.
            journal.forget(row)
        }
        guard !isKept else { return journal.keep(oldest.record, size: oldest.size) }
        try rows.remove(oldest.record)
        journal.removed(size: oldest.size, from: oldest.record)
    }

    /// Nothing is left of what an engine was told.
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
