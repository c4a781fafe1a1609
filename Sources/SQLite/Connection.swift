import Base
import CSQLite

/// A failed call of SQLite: the call and the extended code, never a bound value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32
    /// Recorded changes do not fit, because a row of this table is not as it was where they were made.
    package let table: String?

    init(_ call: StaticString, code: Int32, table: String? = nil) {
        self.call = "\(call)"
        self.code = code
        self.table = table
    }

    /// The disk, or the database's share of it, is full.
    package var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// The file is not a database, or is damaged.
    package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    /// A row or a value is longer than the limit.
    package var isTooBig: Bool { code & 0xFF == SQLITE_TOOBIG }

    /// A transaction was interrupted, and only who may write can take it back
    /// (SQLITE_READONLY_ROLLBACK).
    package var isInterrupted: Bool { code == SQLITE_READONLY | 3 << 8 }

    package var description: String {
        "\(call): \(String(cString: sqlite3_errstr(code))) (\(code))"
    }
}

/// Turns SQLite's "0 is success" into a thrown error.
@inline(__always)
func ensure(_ code: Int32, _ call: StaticString) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(call, code: code) }
}

/// One open database file, for one thread at a time.
///
/// Every commit is on the disk before it returns (WAL, `synchronous=FULL`), unless the owner asks for
/// less. Deleted data is overwritten. A commit never copies the WAL into the file: the writer calls `checkpoint` when it
/// has time.
package struct Connection: ~Copyable, Sendable {
    package enum Access: Sendable {
        case readWrite
        /// Sees what was committed when its transaction began, and blocks no writer.
        case readOnly
        /// A database in memory only.
        case scratch
        /// A file that nobody else knows yet. It has no WAL, and nothing of it needs to be on the
        /// disk before it is complete.
        case draft
        /// An existing file, in whatever mode it is.
        case asItIs
    }

    // Sendable: a connection without a mutex may move to another thread, and since it cannot be
    // copied, only one thread has it at a time.
    nonisolated(unsafe) let handle: OpaquePointer
    let shelf: StatementShelf
    let contexts: HookContexts
    /// The number of pages in the WAL since it last began at its start. SQLite writes it at each
    /// commit, on the committing thread.
    nonisolated(unsafe) private let frames: UnsafeMutablePointer<Int32>

    private static let areStatisticsOff: Bool = csqlite_forgo_statistics() == SQLITE_OK

    /// Opens a file; `readWrite` creates it if it is missing. A link is not followed.
    package init(_ path: String, _ access: Access) throws(SQLiteError) {
        _ = Self.areStatisticsOff
        let mode =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .draft, .asItIs: SQLITE_OPEN_READWRITE
            case .scratch: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
            }
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | mode, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError("sqlite3_open_v2", code: code)
        }
        let connection = Connection(owning: handle)
        try connection.configure(access)
        self = connection
    }

    private init(owning handle: OpaquePointer) {
        self.handle = handle
        shelf = StatementShelf()
        contexts = HookContexts()
        frames = .allocate(capacity: 1)
        frames.initialize(to: 0)
    }

    deinit {
        shelf.close()
        // Waits for statements that live longer, and frees nothing they need.
        sqlite3_close_v2(handle)
        frames.deallocate()
    }

    /// Runs statements without parameters and without rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        try ensure(sqlite3_exec(handle, sql, nil, nil, nil), "sqlite3_exec")
    }

    /// Runs a query that returns one integer.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try Statement(sql, on: self)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Runs `body` in a transaction; an error rolls it back.
    package func transaction<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction that sees the database as it is now. It ends with the connection.
    package func beginReading() throws(SQLiteError) {
        try execute("BEGIN")
        // Only the first read decides which moment the transaction sees.
        _ = try integer("SELECT count(*) FROM sqlite_schema")
    }

    /// Rolls back the transaction, if there is one.
    package func rollBack() {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        // If the rollback fails, closing the connection ends the transaction.
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// The number of pages in the WAL that the next `checkpoint` may have to copy.
    package var walPages: Int { Int(frames.pointee) }

    private func configure(_ access: Access) throws(SQLiteError) {
        // A foreign file must not call functions through its schema, nor SQL change its pages.
        for (option, value) in [
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
        ] {
            try ensure(csqlite_set(handle, Int32(option), Int32(value)), "sqlite3_db_config")
        }
        try ensure(sqlite3_busy_timeout(handle, Self.patience), "sqlite3_busy_timeout")
        try execute("PRAGMA cell_size_check = 1; PRAGMA temp_store = 2")
        switch access {
        case .readOnly: return try execute("PRAGMA query_only = 1")
        case .scratch, .asItIs: return
        case .draft:
            return try execute(
                """
                PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;
                PRAGMA synchronous = OFF; PRAGMA secure_delete = 1
                """)
        case .readWrite: break
        }
        // Only a new file can be made so that its free pages can be given back later.
        if try integer("PRAGMA page_count") == 0 { try execute("PRAGMA auto_vacuum = INCREMENTAL") }
        try useWAL()
        try execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = 1")
        #if PLANTED
            if PlantedMistake.noSync.isMade { try execute("PRAGMA synchronous = OFF") }
        #endif
        // A burst of writes leaves the WAL file no larger than this.
        try execute("PRAGMA journal_size_limit = 67108864")
        // Replaces SQLite's own hook, which would checkpoint inside a commit.
        sqlite3_wal_hook(
            handle,
            { frames, _, _, count in
                frames?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, frames)
    }

    private func useWAL() throws(SQLiteError) {
        let statement = try Statement("PRAGMA journal_mode = WAL", on: self)
        // On a file system without shared memory SQLite silently uses another mode.
        guard try statement.step(), statement.text(0) == "wal" else {
            throw SQLiteError("PRAGMA journal_mode", code: SQLITE_CANTOPEN)
        }
    }

    func resetFrameCount() { frames.pointee = 0 }
}

/// What SQLite's hooks lead to, kept until the connection is closed.
// Unchecked: it is used by the thread of its connection alone.
final class HookContexts: @unchecked Sendable {
    private var contexts: [AnyObject] = []

    /// The pointer to give to SQLite, which counts no references.
    func keep(_ context: AnyObject) -> UnsafeMutableRawPointer {
        contexts.append(context)
        return Unmanaged.passUnretained(context).toOpaque()
    }
}
