/// Writing large accounts in parts.
extension StoredEngines {
    /// Bytes of an account in one commit.
    var partSize: Int { transaction.limits.accountPart }

    /// Takes one step. Call it in a batch that does nothing else.
    func writeOn() throws(StoreFault) {
        if let part = drafts.takeGarbage() {
            return try AccountParts.remove(part, on: transaction.connection)
        }
        guard let draft = drafts.draft else { return try beginDraft() }
        guard let state = draft.encoding.bytes else { return }
        let row = draft.engine.row
        touched?.insert(row)
        if try makesRoom(draft, state.count) { return }
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

    /// An account that has outgrown its room drops something and is drafted again.
    private func makesRoom(
        _ draft: AccountDrafts.Draft, _ size: Int
    ) throws(StoreFault) -> Bool {
        let engine = draft.engine
        let weight = size + engine.weight - engine.stateSize
        guard !draft.hasMadeRoom, draft.done == 0, loaded[engine.row] === engine,
            mayMakeRoom(in: engine, weighing: weight)
        else { return false }
        engine.hosted.engine.makeRoom()
        drafts.draft = AccountDrafts.Draft(
            of: engine, at: transaction.position, hasMadeRoom: true)
        return true
    }

    private func writePart(_ bytes: [UInt8]) throws(StoreFault) {
        guard let row = drafts.draft?.engine.row else { return }
        let position = transaction.nextPosition()
        let sealed = try transaction.seal(bytes, at: EngineRows.recordPlace(position))
        try AccountParts.write(sealed, of: row, at: position, on: transaction.connection)
        drafts.draft?.done += bytes.count
        drafts.draft?.parts.append(position)
        drafts.draft?.size += sealed.count
    }

    /// Makes the draft the stored account, unless a later one is stored already.
    private func finish(_ draft: AccountDrafts.Draft, _ state: [UInt8]) throws(StoreFault) {
        let row = draft.engine.row
        drafts.draft = nil
        let all = try AccountParts.all(of: row, on: transaction.connection)
        let text = draft.parts.isEmpty ? state : AccountParts(positions: draft.parts).bytes
        let sealed = try transaction.seal(text, at: EngineRows.place(row, of: draft.engine.owner))
        // Another node may have taken the parts for its own garbage.
        guard Set(all).isSuperset(of: draft.parts),
            try EngineRows.save(
                draftOf: row, through: draft.position, sealed: sealed, partsOf: draft.size,
                on: transaction.connection)
        else { return drafts.discard(draft.parts.filter(all.contains)) }
        drafts.discard(all.filter { !draft.parts.contains($0) })
        journal.forget(row, through: draft.position)
        guard let engine = loaded[row] else { return }
        guard engine === draft.engine || !draft.hasMadeRoom else { return loaded.remove(row) }
        engine.hasParts = !draft.parts.isEmpty
        loaded.resize(
            engine, journal: max(0, engine.journalSize - draft.journalSize),
            state: sealed.count + draft.size)
        try measureRoom(of: engine)
        judgeRoom(of: engine)
    }
}
