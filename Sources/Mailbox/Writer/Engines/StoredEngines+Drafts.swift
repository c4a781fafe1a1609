import Base
import Notifications

/// Writing large accounts in parts.
extension StoredEngines {
    /// Bytes of an account in one commit.
    var partSize: Int { transaction.limits.accountPart }

    /// Takes one step. Call it in a batch that does nothing else.
    func writeOn() throws(StoreFault) {
        while let row = drafts.littered.first {
            if let part = try spare(of: row) { return try remove(part: part, of: row) }
            drafts.isClear(row)
        }
        guard let draft = drafts.draft else { return try beginDraft() }
        guard let state = draft.encoding.bytes else { return }
        let row = draft.engine.row
        touched?.insert(row)
        if mayMakeRoom(draft, state.count) { return try makeRoom(draft) }
        if draft.done < state.count, state.count > partSize {
            let end = min(draft.done + partSize, state.count)
            return try writePart(Array(state[draft.done..<end]))
        }
        try finish(draft, state)
    }

    private func beginDraft() throws(StoreFault) {
        guard let row = drafts.takeAsked() else { return }
        _ = try engine(row) { engine in
            drafts.draft = AccountDrafts.Draft(of: engine, at: transaction.position)
            return .done
        }
    }

    private func mayMakeRoom(_ draft: AccountDrafts.Draft, _ size: Int) -> Bool {
        let engine = draft.engine
        return !drafts.relieved.contains(engine.row) && draft.done == 0
            && loaded[engine.row] === engine
            && mayMakeRoom(in: engine, weighing: size + engine.weight - engine.stateSize)
    }

    /// An account that has outgrown its room drops something. It is drafted again once that is in
    /// the journal.
    private func makeRoom(_ draft: AccountDrafts.Draft) throws(StoreFault) {
        try makeRoom(in: draft.engine)
        drafts.cancel(draft.engine.row)
        drafts.ask(draft.engine.row)
        drafts.relieved.insert(draft.engine.row)
    }

    /// A part that no account needs; nil if there is none, or that cannot be said now.
    private func spare(of row: UInt32) throws(StoreFault) -> Int64? {
        var spare = drafts.parts(of: row)
        if let draft = drafts.draft, draft.engine.row == row { spare.subtract(draft.parts) }
        let stored = try EngineRows.state(row, on: transaction.connection)
        if let stored, stored.size > stored.sealed.count {
            let place = EngineRows.place(row, of: stored.owner)
            guard let state = transaction.unsealed(stored.sealed, at: place) else { return nil }
            spare.subtract(AccountParts(state)?.positions ?? [])
        }
        return spare.first
    }

    func remove(part: Int64, of row: UInt32) throws(StoreFault) {
        try rows.remove(part)
        drafts.removed(part, of: row)
    }

    private func writePart(_ bytes: [UInt8]) throws(StoreFault) {
        guard let row = drafts.draft?.engine.row else { return }
        let position = transaction.nextPosition()
        let sealed = try transaction.seal(bytes, at: EngineRows.recordPlace(position))
        try AccountParts.write(sealed, of: row, at: position, on: transaction.connection)
        drafts.draft?.done += bytes.count
        drafts.draft?.parts.append(position)
        drafts.wrote(position, of: row)
        drafts.draft?.size += sealed.count
    }

    /// Makes the draft the stored account, unless a later one is stored already.
    private func finish(_ draft: AccountDrafts.Draft, _ state: [UInt8]) throws(StoreFault) {
        let row = draft.engine.row
        drafts.draft = nil
        let parts = drafts.parts(of: row)
        let text = draft.parts.isEmpty ? state : AccountParts(positions: draft.parts).bytes
        let sealed = try transaction.seal(text, at: EngineRows.place(row, of: draft.engine.owner))
        // Another node may have removed parts that no account needed yet.
        guard parts.isSuperset(of: draft.parts),
            try EngineRows.save(
                draftOf: row, through: draft.position, sealed: sealed, partsOf: draft.size,
                on: transaction.connection)
        else { return drafts.clear(row) }
        if parts.count > draft.parts.count { drafts.clear(row) }
        journal.forget(row, through: draft.position)
        drafts.relieved.remove(row)
        guard let engine = loaded[row] else { return }
        loaded.resize(
            engine, journal: max(0, engine.journalSize - draft.journalSize),
            state: sealed.count + draft.size)
        try measureRoom(of: engine)
        judgeRoom(of: engine)
    }
}

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

/// The limits of accounts: for one account, for all of one owner, and for all.
extension StoredEngines {
    /// Seconds until a full account is measured again, because that writes it.
    private static let fullTime: UInt32 = 10
    private static let smallPart = 16

    /// What is left for this engine once the others are counted.
    func measureRoom(of engine: LoadedEngine) throws(StoreFault) {
        let growth = transaction.limits.growth
        let ofOwner = try transaction.share(of: engine.owner, .engine).bytes - engine.stateSize
        let ofAll = try transaction.share(.engine).bytes - engine.stateSize
        engine.room = min(growth.engine, growth.engines - ofOwner, growth.allEngines - ofAll)
    }

    /// Whether an account may grow. One that grows by pushes drops what users are least likely to
    /// see; one whose data come from a client waits until the client removes something.
    func hasRoom(_ engine: LoadedEngine) throws(StoreFault) -> Bool {
        guard engine.mayBeFull else { return true }
        let now = transaction.time.now
        if let end = engine.isFullUntil, now < end { return false }
        guard !engine.isLarge(for: partSize) else {
            drafts.ask(engine.row)
            return !engine.isTooFull
        }
        try save(engine)
        if mayMakeRoom(in: engine, weighing: engine.weight) {
            try makeRoom(in: engine)
            try save(engine)
        }
        return !judgeRoom(of: engine)
    }

    func makeRoom(in engine: LoadedEngine) throws(StoreFault) {
        engine.hosted.makeRoom(now: wall)
        _ = try finish(engine)
    }

    /// A small account does not fill the room, so it drops nothing for the sake of others.
    func mayMakeRoom(in engine: LoadedEngine, weighing weight: Int) -> Bool {
        weight > engine.room && weight > transaction.limits.growth.engine / Self.smallPart
    }

    /// Whether a measured account is full.
    @discardableResult
    func judgeRoom(of engine: LoadedEngine) -> Bool {
        let isFull = engine.weight > engine.room
        engine.isFullUntil =
            isFull ? transaction.time.now.adding(seconds: Self.fullTime) : nil
        return isFull
    }

    /// The answer to a client's request that needs room when there is none; nil if it needs none.
    static func refusal(of request: [UInt8]) -> [UInt8]? {
        guard let request = try? JSONDocument(request).root,
            Engine.mayGrow(by: request["@type"]?.text ?? "")
        else { return nil }
        let outcome = Outcome.error(code: 429, message: "Too Many Requests: the account is full")
        return outcome.answer(extra: request["@extra"])
    }
}
