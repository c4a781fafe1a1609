/// Checks a file before anything is written to it: it may be damaged, belong to another program, or
/// be an attack.
package struct Inspection: Sendable {
    /// This program writes only numbers in this range, and their sums do not overflow.
    private static let numbers: ClosedRange<Int64> = -(1 << 53)...1 << 53

    let migrations: Migrations
    /// Narrower limits than `numbers`, by table and column.
    var ranges: [String: ClosedRange<Int64>]
    /// Columns whose blobs all have the same length.
    var lengths: [String: Int]
    /// Tables whose values take long to check.
    var large: Set<String>

    package init(
        _ migrations: Migrations, ranges: [String: ClosedRange<Int64>] = [:],
        lengths: [String: Int] = [:], large: Set<String> = []
    ) {
        self.migrations = migrations
        self.ranges = ranges
        self.lengths = lengths
        self.large = large
    }

    /// What is wrong with the file; nil if it is empty or was made by these migrations. `further`
    /// made tables that it has besides.
    package func finding(
        _ path: String, further: [Migration] = [], pages: PageCheck = .quick
    ) throws(Migration.Failure) -> String? {
        try finding(path, further, pages, later: [])
    }

    /// Checks the file without the two things that take long: the pages, and the values of large
    /// tables.
    package func quickFinding(_ path: String) throws(Migration.Failure) -> String? {
        try finding(path, [], nil, later: large)
    }

    /// What `quickFinding` leaves out.
    package func slowFinding(_ path: String) throws(SQLiteError) -> String? {
        let connection = try Connection(path, .readOnly)
        if let damage = try connection.damage() { return damage }
        return try impossible(large, in: connection)
    }

    private func finding(
        _ path: String, _ further: [Migration], _ pages: PageCheck?, later: Set<String>
    ) throws(Migration.Failure) -> String? {
        let refusal: Migration.Failure
        do throws(SQLiteError) {
            let connection = try Connection(path, .readOnly)
            let version = Int(try connection.integer("PRAGMA user_version"))
            guard version >= 0 else { return "its schema has number \(version)" }
            guard let failure = migrations.refusal(of: version) else {
                return try finding(connection, version, further, pages, later: later)
            }
            refusal = failure
        } catch { throw .sqlite(error) }
        throw refusal
    }

    private func finding(
        _ connection: borrowing Connection, _ version: Int, _ further: [Migration],
        _ pages: PageCheck?, later: Set<String>
    ) throws(SQLiteError) -> String? {
        if let pages, let damage = try connection.damage(pages) { return damage }
        let model = try Connection(":memory:", .scratch)
        for migration in migrations.leading(to: version) + further {
            try model.execute(migration.sql)
        }
        let expected = try Self.objects(in: model)
        let found = try Self.objects(in: connection)
        for (name, shape) in expected.sorted(by: { $0.key < $1.key }) where found[name] != shape {
            return found[name] == nil ? "\(name) is missing" : "\(name) was changed"
        }
        if let other = found.keys.filter({ expected[$0] == nil }).min() {
            return "\(other) does not belong there"
        }
        let tables = expected.keys.filter { $0.hasPrefix("table ") }.map { String($0.dropFirst(6)) }
        return try impossible(Set(tables).subtracting(later), in: connection)
    }

    private func impossible(
        _ tables: Set<String>, in connection: borrowing Connection
    ) throws(SQLiteError) -> String? {
        for table in tables.sorted() {
            guard try areOurs(table, in: connection) else {
                return "table \(table) contains impossible values"
            }
        }
        return nil
    }

    /// The tables and indexes with their columns, what is unique, and whether they are in the file
    /// at all. Their SQL text is not compared, because it depends on the version of SQLite; a
    /// trigger has nothing but its text.
    private static func objects(
        in connection: borrowing Connection
    ) throws(SQLiteError) -> [String: String] {
        let select = try Statement(
            """
            SELECT type, name, tbl_name || ' ' || (rootpage > 0) || ' ' || coalesce((
            SELECT group_concat(name || ' ' || type || ' ' || "notnull" || ' ' || pk, ', ')
            FROM pragma_table_info(object.name)), '') || ' ' || coalesce((
            SELECT group_concat(name, ', ') FROM pragma_index_info(object.name)), '') || ' ' ||
            coalesce((SELECT "unique" || ' ' || partial FROM pragma_index_list(object.tbl_name)
            AS list WHERE list.name = object.name), '') || ' ' ||
            CASE type WHEN 'trigger' THEN sql ELSE '' END
            FROM sqlite_schema AS object WHERE substr(name, 1, 7) <> 'sqlite_'
            """, on: connection)
        var objects: [String: String] = [:]
        while try select.step() {
            objects[select.text(0) + " " + select.text(1)] = select.text(2)
        }
        return objects
    }

    /// Whether all numbers and lengths of a table are possible.
    private func areOurs(
        _ table: String, in connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        let columns = try Statement(
            "SELECT name, type FROM pragma_table_info('\(table)')", on: connection)
        var conditions: [String] = []
        while try columns.step() {
            let name = columns.text(0)
            if columns.text(1) == "INTEGER" {
                let range = ranges["\(table).\(name)"] ?? Self.numbers
                conditions.append(
                    "\(name) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)")
            } else if let length = lengths["\(table).\(name)"] {
                conditions.append("length(CAST(\(name) AS BLOB)) <> \(length)")
            }
        }
        guard !conditions.isEmpty else { return true }
        let condition = conditions.joined(separator: " OR ")
        return try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))") == 0
    }
}
