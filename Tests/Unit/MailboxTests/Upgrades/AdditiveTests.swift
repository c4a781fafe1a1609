import Testing

@testable import Mailbox

@Suite("Migrations of stores that are continued")
struct AdditiveTests {
    /// Nodes of a cluster get a new schema one after the other, each at its own place in the log. So
    /// the order of a migration and of an entry must not matter, and SQLite must be able to carry out
    /// entries of the former schema.
    @Test("They add tables, indexes and columns with a default, and change no row")
    func additive() {
        for migration in Schema.migrations.steps.dropFirst() {
            for statement in Self.statements(migration.sql) {
                #expect(Self.isAdditive(statement), "\(migration.name): \(statement)")
            }
        }
    }

    @Test(
        "What would depend on the order is found",
        arguments: [
            "UPDATE device SET name = ''", "DROP TABLE owner", "DELETE FROM message",
            "ALTER TABLE device RENAME COLUMN owner TO person",
            "ALTER TABLE device DROP COLUMN owner",
            "ALTER TABLE device ADD COLUMN name TEXT NOT NULL", "INSERT INTO owner VALUES (1, 'a')",
            "CREATE TABLE copy AS SELECT * FROM owner", "CREATE TRIGGER t AFTER INSERT ON owner",
            "CREATE UNIQUE INDEX name ON owner (name)",
        ])
    func others(_ statement: String) { #expect(!Self.isAdditive(statement)) }

    @Test(
        "What does not is none",
        arguments: [
            "CREATE TABLE a (b INTEGER PRIMARY KEY)", "CREATE INDEX c ON a (b)",
            "ALTER TABLE a ADD COLUMN d INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE a ADD COLUMN e BLOB",
        ])
    func additions(_ statement: String) { #expect(Self.isAdditive(statement)) }

    private static func statements(_ sql: String) -> [String] {
        sql.split(separator: ";").map {
            $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        .filter { !$0.isEmpty }
    }

    /// A unique index could refuse what an older node has accepted.
    private static func isAdditive(_ statement: String) -> Bool {
        if statement.hasPrefix("CREATE TABLE ") { return !statement.contains(" AS SELECT ") }
        if statement.hasPrefix("CREATE INDEX ") { return true }
        guard statement.hasPrefix("ALTER TABLE "), statement.contains(" ADD COLUMN ") else {
            return false
        }
        return !statement.contains(" NOT NULL") || statement.contains(" DEFAULT ")
    }
}
