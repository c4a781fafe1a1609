import CSQLite

/// Records what the statements of a connection change, so that another database can follow.
///
/// A table counts if it has a primary key that is declared.
package struct ChangeSession: ~Copyable {
    // Sendable for the same reason as its connection, which must outlive it.
    private let handle: OpaquePointer

    package init(on connection: borrowing Connection) throws(SQLiteError) {
        handle = try Self.create(on: connection)
    }

    /// Records changes of these tables from now on.
    package func record(_ tables: [String]) throws(SQLiteError) {
        for table in tables {
            let code = sqlite3session_attach(handle, table)
            guard code == SQLITE_OK else { throw SQLiteError("sqlite3session_attach", code: code) }
        }
    }

    private static func create(
        on connection: borrowing Connection
    ) throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3session_create(connection.handle, "main", &handle)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError("sqlite3session_create", code: code)
        }
        return handle
    }

    deinit { sqlite3session_delete(handle) }

    /// What has changed since the session began, as one value.
    package func changes() throws(SQLiteError) -> [UInt8] {
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        let code = sqlite3session_changeset(handle, &count, &bytes)
        defer { sqlite3_free(bytes) }
        guard code == SQLITE_OK else { throw SQLiteError("sqlite3session_changeset", code: code) }
        return bytes.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(count))) } ?? []
    }
}

extension Connection {
    /// Makes the changes that a session recorded. Triggers stay silent: what they changed there is
    /// among the changes. Fails if anything here is not as it was there.
    package func apply(changes: [UInt8]) throws(SQLiteError) {
        try setTriggers(areOn: false)
        let code = changes.withUnsafeBytes { bytes in
            sqlite3changeset_apply(
                handle, Int32(bytes.count), UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                nil, { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
        }
        try setTriggers(areOn: true)
        guard code == SQLITE_OK else { throw SQLiteError("sqlite3changeset_apply", code: code) }
    }

    private func setTriggers(areOn: Bool) throws(SQLiteError) {
        let code = csqlite_set(handle, Int32(SQLITE_DBCONFIG_ENABLE_TRIGGER), areOn ? 1 : 0)
        guard code == SQLITE_OK else { throw SQLiteError("sqlite3_db_config", code: code) }
    }
}
