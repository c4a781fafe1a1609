import CSQLite

extension Connection {
    /// Makes recorded changes. Triggers stay silent: what they changed there is among the changes.
    /// Fails if anything here is not as it was there.
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

    /// By the last statement that changed any.
    var changedRows: Int32 { sqlite3_changes(handle) }
}
