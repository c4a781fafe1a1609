import SQLite
import System

/// The store's database file, as the writer opens it.
enum WriterDatabase {
    static let fileName = "bellwire.db"

    /// Checks the whole database and migrates it.
    static func open(_ path: String, pageLimit: Int?) throws(StoreFault) -> Connection {
        try takeBackInterrupted(path)
        try check(path)
        return try migrated(path, pageLimit, Schema.migrations) { _ in }
    }

    /// Opens the file, while `inspection` checks what takes long.
    static func open(
        _ path: String, _ migrations: Migrations, pageLimit: Int?,
        beside inspection: SlowInspection, onUpgrade: (Migration.Step) -> Void
    ) throws(StoreFault) -> Connection {
        try check { () throws(Migration.Failure) in
            try Schema.inspection(of: migrations).quickFinding(path)
        }
        if try version(path) < migrations.last { try inspection.finish() }
        return try migrated(path, pageLimit, migrations, onUpgrade)
    }

    static func takeBackInterrupted(_ path: String) throws(StoreFault) {
        do throws(SQLiteError) { try Connection.takeBackInterrupted(path) } catch {
            throw StoreFault(error)
        }
    }

    /// Fails unless the file is a sound store, with these tables besides.
    static func check(
        _ path: String, further: [Migration] = [], pages: PageCheck = .quick
    ) throws(StoreFault) {
        try check { () throws(Migration.Failure) in
            try Schema.inspection.finding(path, further: further, pages: pages)
        }
    }

    private static func check(
        _ inspect: () throws(Migration.Failure) -> String?
    ) throws(StoreFault) {
        let finding: String?
        do throws(Migration.Failure) { finding = try inspect() } catch { throw StoreFault(error) }
        if let finding { throw .damaged(finding) }
    }

    private static func version(_ path: String) throws(StoreFault) -> Int64 {
        do throws(SQLiteError) {
            return try Connection(path, .readOnly).integer("PRAGMA user_version")
        } catch { throw StoreFault(error) }
    }

    private static func connect(
        _ path: String, _ pageLimit: Int?
    ) throws(StoreFault) -> Connection {
        do throws(SQLiteError) {
            let connection = try Connection(path, .readWrite)
            // A file that is refused after all stays unchanged.
            try connection.setCheckpointAtEnd(false)
            try connection.limitPages(pageLimit)
            return connection
        } catch { throw StoreFault(error) }
    }

    private static func migrated(
        _ path: String, _ pageLimit: Int?, _ migrations: Migrations,
        _ onUpgrade: (Migration.Step) -> Void
    ) throws(StoreFault) -> Connection {
        let connection = try connect(path, pageLimit)
        do throws(Migration.Failure) {
            try connection.migrate(migrations, beginning: onUpgrade)
        } catch { throw StoreFault(error) }
        return connection
    }
}

/// Checks on a thread of its own what takes long: the pages, and the values of the large tables.
/// Meanwhile the index is filled from the same file, which does not rely on either.
final class SlowInspection: Sendable {
    private final class Answer: Sendable {
        let finding = Lock<StoreFault?>(nil)
    }

    private let answer = Answer()
    /// Nil once it has ended.
    private let thread: Lock<WorkThread?>

    init(of path: String) throws(StoreFault) {
        do throws(SystemError) {
            thread = Lock(
                try WorkThread(name: "store-check") { [answer] in
                    let finding = Self.finding(path)
                    answer.finding.withLock { $0 = finding }
                })
        } catch { throw .thread(code: error.code) }
    }

    deinit { end() }

    /// Waits for the end, and fails unless the file is sound. May be called again.
    func finish() throws(StoreFault) {
        end()
        if let finding = answer.finding.withLock({ $0 }) { throw finding }
    }

    /// What is wrong with the file explains what goes wrong in `body`.
    func explaining<Result: ~Copyable>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        do throws(StoreFault) { return try body() } catch {
            try finish()
            throw error
        }
    }

    private func end() {
        let ended = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        ended?.join()
    }

    private static func finding(_ path: String) -> StoreFault? {
        do throws(SQLiteError) {
            return try Schema.inspection.slowFinding(path).map(StoreFault.damaged)
        } catch { return StoreFault(error) }
    }
}
