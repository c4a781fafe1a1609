/// A table as its changes describe it.
struct ChangedTable: Sendable {
    let name: String
    let columns: [String]
    /// For each column its place in the primary key, from 1, or zero.
    let key: [UInt8]

    /// Nil if there is no such table, or it declares no primary key.
    init?(_ name: String, on connection: borrowing Connection) throws(SQLiteError) {
        var (columns, key): ([String], [UInt8]) = ([], [])
        let select = try Statement("SELECT name, pk FROM pragma_table_info(?1)", on: connection)
        try select.bind(text: name, at: 1)
        while try select.step() {
            columns.append(select.text(0))
            key.append(UInt8(clamping: select.integer(1)))
        }
        guard key.contains(where: { $0 > 0 }) else { return nil }
        (self.name, self.columns, self.key) = (name, columns, key)
    }
}

/// Statements that change one row. The first parameters are its values before, or those of a new
/// row; the next are those after an update.
extension ChangedTable {
    var insert: String {
        let values = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \"\(name)\" VALUES (\(values))"
    }

    var delete: String {
        "DELETE FROM \"\(name)\" WHERE " + condition { _ in true }
    }

    func update(_ isChanged: [Bool]) -> String {
        let changes = columns.indices.filter { isChanged[$0] }
            .map { "\"\(columns[$0])\" = ?\(columns.count + $0 + 1)" }
        return "UPDATE \"\(name)\" SET \(changes.joined(separator: ", ")) WHERE "
            + condition { isChanged[$0] }
    }

    /// That the row is as it was, in the columns of the key and in the others that count.
    private func condition(_ counts: (Int) -> Bool) -> String {
        columns.indices.filter { key[$0] > 0 || counts($0) }
            .map { "\"\(columns[$0])\" \(key[$0] > 0 ? "=" : "IS") ?\($0 + 1)" }
            .joined(separator: " AND ")
    }
}
