import SQLite

/// The store's database file, as the writer opens it.
enum WriterDatabase {
    static let fileName = "bellwire.db"

    /// Checks the whole database and migrates it.
    static func open(
        _ path: String, pageLimit: Int?, onUpgrade: (Migration.Step) -> Void = { _ in }
    ) throws(StoreFault) -> Connection {
        do throws(SQLiteError) { try Connection.takeBackInterrupted(path) } catch {
            throw StoreFault(error)
        }
        try check(path)
        let connection = try connect(path, pageLimit)
        do throws(Migration.Failure) {
            try connection.migrate(Schema.migrations, beginning: onUpgrade)
        } catch { throw StoreFault(error) }
        return connection
    }

    /// Fails unless the file is a sound store, with these tables besides.
    static func check(
        _ path: String, further: [Migration] = [], thoroughly: Bool = false
    ) throws(StoreFault) {
        let finding: String?
        do throws(Migration.Failure) {
            finding = try Schema.inspection.finding(
                path, further: further, thoroughly: thoroughly)
        } catch { throw StoreFault(error) }
        if let finding { throw .damaged(finding) }
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
}
