import CSQLite

extension Connection {
    /// Makes recorded changes. Triggers stay silent: what they changed there is among the changes.
    /// Fails if anything here is not as it was there; the error has the table then.
    package func apply(changes: [UInt8]) throws(SQLiteError) {
        try setTriggers(areOn: false)
        var table: String?
        let code = withUnsafeMutablePointer(to: &table) { table in
            changes.withUnsafeBytes { bytes in
                sqlite3changeset_apply(
                    handle, Int32(bytes.count),
                    UnsafeMutableRawPointer(mutating: bytes.baseAddress), nil,
                    { context, _, change in
                        context?.assumingMemoryBound(to: String?.self).pointee =
                            Connection.table(of: change)
                        return SQLITE_CHANGESET_ABORT
                    }, table)
            }
        }
        try setTriggers(areOn: true)
        guard code == SQLITE_OK else {
            throw SQLiteError("sqlite3changeset_apply", code: code, table: table)
        }
    }

    private static func table(of change: OpaquePointer?) -> String? {
        var name: UnsafePointer<CChar>?
        var (columns, operation): (Int32, Int32) = (0, 0)
        guard sqlite3changeset_op(change, &name, &columns, &operation, nil) == SQLITE_OK, let name
        else { return nil }
        return String(cString: name)
    }

    private func setTriggers(areOn: Bool) throws(SQLiteError) {
        let code = csqlite_set(handle, Int32(SQLITE_DBCONFIG_ENABLE_TRIGGER), areOn ? 1 : 0)
        guard code == SQLITE_OK else { throw SQLiteError("sqlite3_db_config", code: code) }
    }

    /// By the last statement that changed any.
    var changedRows: Int32 { sqlite3_changes(handle) }
}
