import CSQLite

/// How a file is checked. A thorough check compares the indexes with the tables, too.
package enum PageCheck: String, Sendable {
    case quick = "quick_check"
    case thorough = "integrity_check"
}

extension Connection {
    /// Checks the whole file; nil if it is sound, else what is wrong with it.
    package func damage(_ check: PageCheck = .quick) throws(SQLiteError) -> String? {
        let statement = try Statement("PRAGMA \(check.rawValue)(1)", on: self)
        guard try statement.step() else { return "the check gave no answer" }
        let answer = statement.text(0)
        guard answer != "ok" else { return nil }
        // The first line only names the database.
        return answer.split(separator: "\n").last.map(String.init) ?? answer
    }

    /// Takes back the transaction by which a new file began to use the WAL, if that was
    /// interrupted. This transaction is the only one that is not in the WAL, and a connection that
    /// only reads can neither see past it nor take it back. Any other file stays as it is: opening
    /// it shows what is wrong with it.
    package static func takeBackInterrupted(_ path: String) throws(SQLiteError) {
        do throws(SQLiteError) {
            _ = try Connection(path, .readOnly).integer("PRAGMA user_version")
        } catch {
            guard error.isInterrupted else { return }
            _ = try Connection(path, .asItIs).integer("PRAGMA user_version")
        }
    }

    package enum Checkpoint: Sendable {
        /// Copies what no reader holds back.
        case passive
        /// Waits for readers, copies everything and empties the WAL file.
        case truncating
        /// Copies everything and empties the WAL file, unless a reader would have to be waited for.
        case cutting
    }

    /// How long to wait for other connections, in milliseconds.
    static let patience: Int32 = 2_000

    /// Copies the WAL into the file; false if a reader held part of it back.
    package func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        var pages: Int32 = 0
        var copied: Int32 = 0
        if kind == .cutting { sqlite3_busy_timeout(handle, 0) }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &copied)
        if kind == .cutting {
            sqlite3_busy_timeout(handle, Self.patience)
            if code & 0xFF == SQLITE_BUSY { return false }
        }
        try ensure(code, "sqlite3_wal_checkpoint_v2")
        guard pages == copied else { return false }
        resetFrameCount()
        return true
    }

    /// Whether closing the connection copies the WAL into the file. It does by default.
    package func setCheckpointAtEnd(_ isWanted: Bool) throws(SQLiteError) {
        try ensure(
            csqlite_set(handle, Int32(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), isWanted ? 0 : 1),
            "sqlite3_db_config")
    }

    /// A longer row, or a longer value, cannot be read: `SQLiteError.isTooBig`.
    package func setLimit(ofRows bytes: Int32) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
    }

    /// Whether each commit is on the disk before it returns. Otherwise a power cut takes the last
    /// ones back, and leaves the file sound.
    package func setSyncedAtCommit(_ isWanted: Bool) throws(SQLiteError) {
        try execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    }

    /// How much of the file may be kept in memory; the default is 2 MiB.
    package func setCache(kibibytes: Int) throws(SQLiteError) {
        try execute("PRAGMA cache_size = -\(kibibytes); PRAGMA cache_spill = 0")
    }

    /// How many pages the file has, and how many of these hold nothing.
    package func pages() throws(SQLiteError) -> (all: Int, free: Int) {
        (Int(try integer("PRAGMA page_count")), Int(try integer("PRAGMA freelist_count")))
    }

    /// Gives that many free pages back to the disk; the file is shorter after the next checkpoint.
    /// False if there is none.
    package func giveBack(pages count: Int) throws(SQLiteError) -> Bool {
        let free = try pages().free
        try execute("PRAGMA incremental_vacuum(\(count))")
        return try pages().free < free
    }

    /// Limits the file to that many pages, as if the disk were full; nil removes the limit.
    package func limitPages(_ count: Int?) throws(SQLiteError) {
        try execute("PRAGMA max_page_count = \(count ?? 4_294_967_294)")
    }
}

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
