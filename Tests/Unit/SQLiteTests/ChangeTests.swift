import TestSupport
import Testing

@testable import SQLite

@Suite("Changes that another database follows")
struct ChangeTests {
    private static let schema = """
        CREATE TABLE message (
            position INTEGER PRIMARY KEY, topic TEXT, body BLOB, weight REAL, size INTEGER);
        CREATE UNIQUE INDEX message_topic ON message (topic) WHERE topic IS NOT NULL;
        CREATE TABLE client (
            engine INTEGER NOT NULL, node TEXT NOT NULL, "count" INTEGER NOT NULL,
            PRIMARY KEY (node, engine)
        ) WITHOUT ROWID;
        """
    private static let tables = ["message", "client"]

    private func database() throws -> Connection {
        let connection = try Connection(":memory:", .scratch)
        try connection.execute(Self.schema)
        return connection
    }

    private func contents(_ connection: borrowing Connection) throws -> [String] {
        var rows: [String] = []
        let select = try Statement(
            """
            SELECT 'message', position, quote(topic), quote(body), quote(weight), quote(size)
            FROM message UNION ALL SELECT 'client', engine, node, "count", '', '' FROM client
            ORDER BY 1, 2, 3
            """, on: connection)
        while try select.step() {
            rows.append((0..<6).map { select.text(Int32($0)) }.joined(separator: " "))
        }
        return rows
    }

    private func changes(
        of connection: borrowing Connection, _ recorder: ChangeRecorder, _ sql: String
    ) throws -> [UInt8] {
        recorder.begin()
        try connection.execute("BEGIN; \(sql); COMMIT")
        return try recorder.end()
    }

    private static func statement(_ numbers: inout SeededGenerator) -> String {
        let (row, other) = (
            Int.random(in: 1...12, using: &numbers), Int.random(in: 1...4, using: &numbers)
        )
        let topic = ["NULL", "'a'", "'b'", "'ö'", "''"].randomElement(using: &numbers) ?? "NULL"
        let body =
            ["NULL", "x''", "x'00ff'", "zeroblob(127)", "zeroblob(128)", "zeroblob(20000)"]
            .randomElement(using: &numbers) ?? "NULL"
        let weight = ["NULL", "0.5", "-1e300", "7"].randomElement(using: &numbers) ?? "NULL"
        let size = ["-1", "0", "9223372036854775807", "NULL"].randomElement(using: &numbers) ?? "0"
        let values = "\(row), \(topic), \(body), \(weight), \(size)"
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0, 1: return "INSERT OR IGNORE INTO message VALUES (\(values))"
        case 2: return "REPLACE INTO message VALUES (\(values))"
        case 3: return "DELETE FROM message WHERE position = \(row)"
        case 4: return "UPDATE message SET body = \(body), size = \(size) WHERE position > \(row)"
        case 5: return "UPDATE OR IGNORE message SET position = \(other) WHERE position = \(row)"
        case 6: return "UPDATE OR REPLACE message SET topic = \(topic) WHERE position = \(row)"
        case 7:
            return """
                INSERT INTO client VALUES (\(row), 'node\(other)', 1)
                ON CONFLICT DO UPDATE SET "count" = "count" + 1
                """
        case 8: return "DELETE FROM client WHERE engine = \(row)"
        default: return other == 1 ? "DELETE FROM message" : "UPDATE client SET \"count\" = 0"
        }
    }

    @Test("What is recorded leads another database to the same rows", arguments: 0..<50)
    func same(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let first = try database()
        let recorder = try ChangeRecorder(
            of: Self.tables, keeping: ["message": ["topic"]], on: first)
        let library = try database()
        let quick = try database()
        let applier = ChangeApplier()
        for _ in 0..<40 {
            let count = Int.random(in: 1...8, using: &numbers)
            let sql = (0..<count).map { _ in Self.statement(&numbers) }.joined(separator: "; ")
            let former = try contents(first)
            let changes = try changes(of: first, recorder, sql)
            #expect(changes.isEmpty == (try contents(first) == former))
            try library.apply(changes: changes)
            try apply(changes, to: quick, applier)
            #expect(try contents(library) == contents(first), "\(sql)")
            #expect(try contents(quick) == contents(first), "\(sql)")
        }
    }

    /// As a store does it.
    private func apply(
        _ changes: [UInt8], to connection: borrowing Connection, _ applier: ChangeApplier
    ) throws {
        var (rows, others): ([String], [String]) = ([], [])
        try connection.execute("BEGIN")
        do throws(SQLiteError) {
            try applier.apply(changes, to: connection) { rows.append(Self.text($0)) }
        } catch {
            connection.rollBack()
            return try applier.applyAtOnce(changes, to: connection) { _ in }
        }
        connection.rollBack()
        try applier.applyAtOnce(changes, to: connection) { others.append(Self.text($0)) }
        #expect(rows == others)
    }

    private static func text(_ row: borrowing ChangeReader) -> String {
        let values = row.columns.map { String(describing: (row.old($0), row.new($0))) }
        return "\(row.table) \(row.kind) \(values)"
    }

    @Test("Who makes the changes learns what they are, and of an update also what is kept")
    func visited() throws {
        let first = try database()
        let recorder = try ChangeRecorder(
            of: Self.tables, keeping: ["message": ["topic"]], on: first)
        let other = try database()
        let applier = ChangeApplier()
        var rows: [(topic: ChangedValue?, size: ChangedValue?, values: ChangedValues)] = []
        func make(_ sql: String) throws {
            let changes = try changes(of: first, recorder, sql)
            try applier.apply(changes, to: other) { row in
                rows.append((row.old("topic"), row.new("size"), row.values(["body", "size"])))
            }
        }
        try make("INSERT INTO message VALUES (1, 'a', x'01ff', NULL, 7)")
        #expect(rows[0].topic == nil && rows[0].size == .integer(7))
        #expect(rows[0].values.bytes(0) == [1, 255] && rows[0].values.integer(1) == 7)
        try make("UPDATE message SET size = 8")
        #expect(rows[1].topic == .text("a") && rows[1].size == .integer(8))
        #expect(rows[1].values.isNull(0) && rows[1].values.integer(1) == 8)
        try make("DELETE FROM message")
        #expect(rows[2].topic == .text("a") && rows[2].size == nil)
        #expect(rows[2].values.bytes(0) == [1, 255] && rows[2].values.integer(1) == 8)
        #expect(rows.count == 3)
    }

    @Test("Only what is as it was there can be changed")
    func conflicts() throws {
        let first = try database()
        let recorder = try ChangeRecorder(of: Self.tables, on: first)
        let other = try database()
        let applier = ChangeApplier()
        let insert = try changes(
            of: first, recorder, "INSERT INTO message VALUES (1, 'a', x'01', 0.5, 7)")
        let update = try changes(of: first, recorder, "UPDATE message SET size = 8")
        let delete = try changes(of: first, recorder, "DELETE FROM message")
        for early in [update, delete] {
            #expect(throws: SQLiteError.self) { try applier.apply(early, to: other) { _ in } }
            let error = #expect(throws: SQLiteError.self) {
                try applier.applyAtOnce(early, to: other) { _ in }
            }
            #expect(error?.table == "message")
        }
        try applier.apply(insert, to: other) { _ in }
        #expect(throws: SQLiteError.self) { try applier.apply(insert, to: other) { _ in } }
        #expect(throws: SQLiteError.self) { try applier.apply(delete, to: other) { _ in } }
        try applier.apply(update, to: other) { _ in }
        try applier.apply(delete, to: other) { _ in }
        #expect(try contents(other).isEmpty)
    }

    @Test("Changes of a table with triggers, or of other columns, are left to SQLite")
    func left() throws {
        let first = try database()
        let recorder = try ChangeRecorder(of: ["client", "message"], on: first)
        let both = try changes(
            of: first, recorder,
            """
            INSERT INTO client VALUES (1, 'node1', 1);
            INSERT INTO message VALUES (1, 'a', x'01', 0.5, 7)
            """)
        let trigger = "CREATE TRIGGER comes AFTER INSERT ON client BEGIN DELETE FROM message; END"
        for change in [trigger, "ALTER TABLE client ADD COLUMN more INTEGER DEFAULT 1"] {
            let other = try database()
            try other.execute(change)
            var tables: [String] = []
            try ChangeApplier().apply(both, to: other) { tables.append($0.table) }
            #expect(tables == ["client", "message"])
            #expect(try contents(other) == contents(first))
        }
        // Where another table was changed before, all of it has to be begun again.
        let late = try database()
        try late.execute(trigger.replacing("ON client", with: "ON message"))
        #expect(throws: SQLiteError.self) { try ChangeApplier().apply(both, to: late) { _ in } }
    }

    @Test("A table without a declared key is not recorded")
    func keyless() throws {
        let connection = try Connection(":memory:", .scratch)
        try connection.execute("CREATE TABLE word (text TEXT)")
        for table in ["word", "nothing"] {
            #expect(throws: SQLiteError.self) { try ChangeRecorder(of: [table], on: connection) }
        }
    }
}
