import CSQLite

extension Connection {
    /// 1 MiB with the usual size of a page.
    private static let pagesAtOnce: Int32 = 256

    /// Copies the whole database into a draft while others go on writing. The copy shows one
    /// moment: that of this connection's transaction. `report` gets the number of copied pages, and
    /// of all pages. Fails as interrupted when `isWanted` says that nobody wants the copy any more.
    package func copy(
        into draft: borrowing Connection, while isWanted: () -> Bool = { true },
        report: (_ done: Int, _ total: Int) -> Void
    ) throws(SQLiteError) {
        guard let copy = sqlite3_backup_init(draft.handle, "main", handle, "main") else {
            throw SQLiteError("sqlite3_backup_init", code: sqlite3_errcode(draft.handle))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = isWanted() ? sqlite3_backup_step(copy, Self.pagesAtOnce) : SQLITE_INTERRUPT
            let total = Int(sqlite3_backup_pagecount(copy))
            report(total - Int(sqlite3_backup_remaining(copy)), total)
        }
        let ending = sqlite3_backup_finish(copy)
        guard code == SQLITE_DONE else { throw SQLiteError("sqlite3_backup_step", code: code) }
        try ensure(ending, "sqlite3_backup_finish")
        // The first page says that there is a WAL, as at the source; a file of its own has none.
        try draft.execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY")
        while try draft.giveBack(pages: Int(Self.pagesAtOnce)) {
            guard isWanted() else {
                throw SQLiteError("PRAGMA incremental_vacuum", code: SQLITE_INTERRUPT)
            }
        }
    }
}
