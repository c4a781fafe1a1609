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

    /// A part that no account needs; nil if there is none, or nobody can tell.
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
