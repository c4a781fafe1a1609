import CSQLite

/// Records which rows the statements of a connection change, so that another database can follow.
///
/// What is recorded has the form of the changesets of SQLite's sessions. A session itself prepares
/// statements for each table that a commit changes, which costs more than a small commit.
///
/// A statement that fails after it has changed some rows is recorded as far as it came, so an error
/// has to end the transaction.
// Unchecked: it is used by the thread of its connection alone.
package final class ChangeRecorder: @unchecked Sendable {
    private var tables: [TableChanges] = []
    private var places: [String: Int] = [:]
    private var isRecording = false
    private var fault: SQLiteError?

    /// For these tables, of which each declares a primary key. An update also tells what is in the
    /// `kept` columns of its table. A statement tells all that it changes only if it is prepared
    /// afterwards.
    package init(
        of tables: [String], keeping kept: [String: [String]] = [:],
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        for name in tables {
            guard let table = try ChangedTable(name, on: connection) else {
                throw SQLiteError("table_info", code: SQLITE_MISMATCH)
            }
            places[name] = self.tables.count
            self.tables.append(TableChanges(of: table, keeping: kept[name] ?? []))
        }
        sqlite3_preupdate_hook(
            connection.handle,
            { context, handle, operation, _, table, _, _ in
                guard let context, let handle, let table else { return }
                Unmanaged<ChangeRecorder>.fromOpaque(context).takeUnretainedValue()
                    .rowChanges(handle, operation, in: table)
            }, connection.contexts.keep(self))
    }

    /// Records from now on, and forgets what was recorded before.
    package func begin() {
        isRecording = true
        empty()
    }

    /// What has changed since `begin`. Nothing is recorded any more.
    package func end() throws(SQLiteError) -> [UInt8] {
        isRecording = false
        defer { empty() }
        if let fault { throw fault }
        var changes: [UInt8] = []
        for table in tables { table.append(to: &changes) }
        return changes
    }

    private func empty() {
        fault = nil
        for index in tables.indices { tables[index].empty() }
    }

    /// SQLite calls it before it changes a row.
    private func rowChanges(
        _ handle: OpaquePointer, _ operation: Int32, in table: UnsafePointer<CChar>
    ) {
        guard isRecording, let index = places[String(cString: table)] else { return }
        do throws(SQLiteError) {
            let key = tables[index].table.key
            let former =
                operation == SQLITE_INSERT
                ? nil : try Self.row(handle, key, sqlite3_preupdate_old)
            let current =
                operation == SQLITE_DELETE
                ? nil : try Self.row(handle, key, sqlite3_preupdate_new)
            if let former, let current, former.key == current.key {
                tables[index].note(former.key, former.row, current.row)
            } else {
                if let former { tables[index].note(former.key, former.row, nil) }
                if let current { tables[index].note(current.key, nil, current.row) }
            }
        } catch {
            fault = error
        }
    }

    private static func row(
        _ handle: OpaquePointer, _ places: [UInt8],
        _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
    ) throws(SQLiteError) -> (key: ChangedRow, row: ChangedRow) {
        var (key, row) = (ChangedRow(), ChangedRow())
        for (column, place) in places.enumerated() {
            var value: OpaquePointer?
            let code = read(handle, Int32(column), &value)
            guard code == SQLITE_OK, let value else {
                throw SQLiteError("sqlite3_preupdate", code: code)
            }
            row.append(value)
            if place > 0 { key.append(value) }
        }
        return (key, row)
    }
}

/// What a transaction has changed in a table.
private struct TableChanges {
    /// Nil where there is no row.
    private struct Change {
        let former: ChangedRow?
        var current: ChangedRow?
    }

    let table: ChangedTable
    /// The columns of which each update tells the value, apart from the key.
    private let isKept: [Bool]
    /// In the order in which rows were first changed.
    private var changes: [Change] = []
    private var places: [ChangedRow: Int] = [:]

    init(of table: ChangedTable, keeping kept: [String]) {
        self.table = table
        isKept = table.columns.map(kept.contains)
    }

    mutating func empty() {
        guard !changes.isEmpty else { return }
        changes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    mutating func note(_ key: ChangedRow, _ former: ChangedRow?, _ current: ChangedRow?) {
        if let place = places[key] {
            changes[place].current = current
        } else {
            places[key] = changes.count
            changes.append(Change(former: former, current: current))
        }
    }

    func append(to bytes: inout [UInt8]) {
        let changes = changes.filter { $0.former != $0.current }
        guard !changes.isEmpty else { return }
        bytes.append(UInt8(ascii: "T"))
        bytes.append(varint: table.key.count)
        bytes += table.key
        bytes += table.name.utf8
        bytes.append(0)
        for change in changes {
            switch (change.former, change.current) {
            case (nil, let current?): Self.append(SQLITE_INSERT, current.bytes, to: &bytes)
            case (let former?, nil): Self.append(SQLITE_DELETE, former.bytes, to: &bytes)
            case (let former?, let current?):
                let update = former.difference(
                    to: current, of: table.key, keeping: isKept)
                Self.append(SQLITE_UPDATE, update, to: &bytes)
            case (nil, nil): break
            }
        }
    }

    /// The second byte would tell that a trigger made the change, which no reader asks for.
    private static func append(_ operation: Int32, _ values: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: operation))
        bytes.append(0)
        bytes += values
    }
}

extension Connection {
    /// Makes recorded changes. Triggers stay silent: what they changed there is among the changes.
    /// Fails if anything here is not as it was there; the error has the table then.
    func apply(changes: [UInt8]) throws(SQLiteError) {
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
