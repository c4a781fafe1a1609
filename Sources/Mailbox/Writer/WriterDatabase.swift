import SQLite

/// The store's database file, as the writer opens it.
enum WriterDatabase {
    static let fileName = "bellwire.db"

    /// Checks the whole database and migrates it.
    static func open(_ path: String, pageLimit: Int?) throws(StoreFault) -> Connection {
        try takeBackInterrupted(path)
        try check(path)
        return try migrated(path, pageLimit) { _ in }
    }

    /// The same, while `inspection` checks what takes long.
    static func open(
        _ path: String, pageLimit: Int?, beside inspection: SlowInspection,
        onUpgrade: (Migration.Step) -> Void
    ) throws(StoreFault) -> Connection {
        try check(path) { () throws(Migration.Failure) in
            try Schema.inspection.quickFinding(path)
        }
        if try version(path) < Schema.migrations.count { try inspection.finish() }
        return try migrated(path, pageLimit, onUpgrade)
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
        try check(path) { () throws(Migration.Failure) in
            try Schema.inspection.finding(path, further: further, pages: pages)
        }
    }

    private static func check(
        _ path: String, _ inspect: () throws(Migration.Failure) -> String?
    ) throws(StoreFault) {
        let finding: String?
        do throws(Migration.Failure) { finding = try inspect() } catch { throw StoreFault(error) }
        if let finding { throw .damaged(finding) }
        // A new file has no schema yet.
        guard try !(1..<Int64(Schema.first)).contains(version(path)) else {
            throw .earlierSchema
        }
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
        _ path: String, _ pageLimit: Int?, _ onUpgrade: (Migration.Step) -> Void
    ) throws(StoreFault) -> Connection {
        let connection = try connect(path, pageLimit)
        do throws(Migration.Failure) {
            try connection.migrate(Schema.migrations, beginning: onUpgrade)
        } catch { throw StoreFault(error) }
        return connection
    }
}
