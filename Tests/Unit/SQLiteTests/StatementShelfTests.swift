import Testing

@testable import SQLite

@Suite("Statements that are kept")
struct StatementShelfTests {
    private func text(_ statement: borrowing Statement) throws -> String? {
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.text(0)
    }

    @Test("A kept statement has no values and no rows of its last user")
    func values() throws {
        let connection = try Connection(":memory:", .scratch)
        func first() throws {
            let statement = try Statement("SELECT ?1", on: connection)
            try statement.bind(text: "secret", at: 1)
            #expect(try text(statement) == "secret")
        }
        try first()
        let second = try Statement("SELECT ?1", on: connection)
        #expect(try text(second) == nil)
    }

    @Test("Two users of one text do not meet, and outlive the connection")
    func together() throws {
        let connection = try Connection(":memory:", .scratch)
        let one = try Statement("SELECT ?1", on: connection)
        let other = try Statement("SELECT ?1", on: connection)
        try one.bind(text: "one", at: 1)
        try other.bind(text: "other", at: 1)
        _ = consume connection
        #expect(try text(one) == "one")
        #expect(try text(other) == "other")
    }

    @Test("A kept statement follows a change of its table")
    func change() throws {
        let connection = try Connection(":memory:", .scratch)
        try connection.execute("CREATE TABLE word (text TEXT); INSERT INTO word VALUES ('old')")
        #expect(try Statement("SELECT * FROM word", on: connection).step())
        try connection.execute("DROP TABLE word; CREATE TABLE word (number INTEGER, text TEXT)")
        try connection.execute("INSERT INTO word VALUES (7, 'new')")
        let statement = try Statement("SELECT * FROM word", on: connection)
        #expect(try statement.step())
        #expect(statement.integer(0) == 7)
        #expect(statement.text(1) == "new")
    }
}
