import Base
import CSQLite

/// Makes the changes that another database recorded, with statements that it keeps: SQLite's own
/// function prepares all of them for each changeset.
// Unchecked: it is used by the thread of its connection alone.
package final class ChangeApplier: @unchecked Sendable {
    package typealias Visit = (borrowing ChangeReader) -> Void

    private var tables: [String: TableStatements] = [:]

    package init() {}

    /// Makes the changes one after the other, and passes each row to `visit`. Fails if a row is not as
    /// it was there, or if rows are in each other's way; some rows have changed then.
    ///
    /// Tables with triggers, which would run here too, come first, so that their changes are left to
    /// SQLite before any is made.
    package func apply(
        _ changes: [UInt8], to connection: borrowing Connection, _ visit: Visit
    ) throws(SQLiteError) {
        let isLeft = try ChangeReader.read(changes) {
            (reader: inout ChangeReader) throws(SQLiteError) -> Bool in
            var isFirst = true
            while try reader.next() {
                guard let table = try table(of: &reader, on: connection), table.takes(reader) else {
                    if isFirst { return true }
                    throw Self.mismatch
                }
                try table.apply(reader, to: connection)
                guard connection.changedRows == 1 else { throw Self.mismatch }
                visit(reader)
                isFirst = false
            }
            return false
        }
        if isLeft { try applyAtOnce(changes, to: connection, visit) }
    }

    /// Makes the changes by SQLite's own function, which is slower, and knows what to do with
    /// triggers and with rows that are in each other's way. A failure changes nothing.
    package func applyAtOnce(
        _ changes: [UInt8], to connection: borrowing Connection, _ visit: Visit
    ) throws(SQLiteError) {
        try connection.apply(changes: changes)
        try ChangeReader.read(changes) { (reader: inout ChangeReader) throws(SQLiteError) in
            while try reader.next() {
                if try table(of: &reader, on: connection) != nil { visit(reader) }
            }
        }
    }

    private static var mismatch: SQLiteError {
        SQLiteError("ChangeApplier.apply", code: SQLITE_MISMATCH)
    }

    /// The table of the present row; nil if there is none of that name here.
    private func table(
        of reader: inout ChangeReader, on connection: borrowing Connection
    ) throws(SQLiteError) -> TableStatements? {
        var known = tables[reader.table]
        if known == nil, let table = try ChangedTable(reader.table, on: connection) {
            known = try TableStatements(table, on: connection)
            tables[reader.table] = known
        }
        reader.columns = known?.table.columns ?? []
        return known
    }
}

/// The statements that change a table.
private final class TableStatements {
    /// `Dictionary` takes only what can be copied.
    private final class Update {
        let statement: Statement

        init(_ sql: String, on connection: borrowing Connection) throws(SQLiteError) {
            statement = try Statement(sql, on: connection)
        }
    }

    let table: ChangedTable
    private let hasTriggers: Bool
    private let insert: Statement
    private let delete: Statement
    private var updates: [[Bool]: Update] = [:]

    init(_ table: ChangedTable, on connection: borrowing Connection) throws(SQLiteError) {
        let trigger = try Statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1", on: connection)
        try trigger.bind(text: table.name, at: 1)
        self.table = table
        hasTriggers = try trigger.step()
        insert = try Statement(table.insert, on: connection)
        delete = try Statement(table.delete, on: connection)
    }

    /// Whether its statements do all that changes such a row, and nothing else.
    func takes(_ row: borrowing ChangeReader) -> Bool {
        !hasTriggers && table.columns.count == row.columnCount
    }

    func apply(
        _ row: borrowing ChangeReader, to connection: borrowing Connection
    ) throws(SQLiteError) {
        let columns = Int32(table.columns.count)
        switch row.kind {
        case .insert:
            for column in 0..<columns { try row.bindNew(column, to: insert, at: column + 1) }
            try insert.run()
        case .delete:
            for column in 0..<columns { try row.bindOld(column, to: delete, at: column + 1) }
            try delete.run()
        case .update:
            let isChanged = (0..<columns).map { row.hasNew($0) }
            let update = try update(of: isChanged, on: connection)
            for column in 0..<columns {
                try row.bindOld(column, to: update.statement, at: column + 1)
                try row.bindNew(column, to: update.statement, at: columns + column + 1)
            }
            try update.statement.run()
        }
    }

    private func update(
        of columns: [Bool], on connection: borrowing Connection
    ) throws(SQLiteError) -> Update {
        if let known = updates[columns] { return known }
        let update = try Update(table.update(columns), on: connection)
        updates[columns] = update
        return update
    }
}

extension Connection {
    /// A query for all rows of a table, in the order of its primary key, which it has to declare.
    package func rows(of name: String) throws(SQLiteError) -> Statement {
        guard let table = try ChangedTable(name, on: self) else {
            throw SQLiteError("table_info", code: SQLITE_MISMATCH)
        }
        let key = table.columns.indices.filter { table.key[$0] > 0 }
            .sorted { table.key[$0] < table.key[$1] }.map { "\"\(table.columns[$0])\"" }
        return try Statement(
            "SELECT * FROM \"\(name)\" ORDER BY \(key.joined(separator: ", "))", on: self)
    }
}

extension Statement {
    /// Appends the present row, so that no other row has the same bytes.
    package func appendRow(to bytes: inout [UInt8]) {
        for column in 0..<columnCount {
            let type = kind(of: column)
            bytes.append(UInt8(truncatingIfNeeded: type))
            switch type {
            case SQLITE_INTEGER: bytes.append(bigEndian: UInt64(bitPattern: integer(column)))
            case SQLITE_FLOAT: bytes.append(bigEndian: real(column).bitPattern)
            case SQLITE_NULL: break
            default:
                let value = self.bytes(column)
                bytes.append(bigEndian: UInt64(value.count))
                bytes += value
            }
        }
    }
}
