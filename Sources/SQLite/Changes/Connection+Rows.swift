import Base
import CSQLite

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
