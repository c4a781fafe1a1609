import TestSupport
import Testing

@testable import SQLite

@Suite("The steps of a schema")
struct MigrationTests {
    private let folder: TemporaryFolder
    private let steps = [
        Migration("first", "CREATE TABLE first (a); INSERT INTO first VALUES (1)"),
        Migration("second", "CREATE TABLE second (a)"),
    ]
    private let broken = Migration(
        "broken", "CREATE TABLE third (a); INSERT INTO nowhere VALUES (1)")

    init() throws { folder = try TemporaryFolder() }

    private func connection() throws -> Connection {
        try Connection(folder.file("test.db"), .readWrite)
    }

    @Test("Each step runs once, in order, over any number of starts")
    func once() throws {
        try connection().migrate([steps[0]])
        try connection().migrate(steps)
        try connection().migrate(steps)
        #expect(try connection().integer("SELECT count(*) FROM first") == 1)
        #expect(try connection().integer("PRAGMA user_version") == 2)
    }

    @Test("Each step of an earlier file is told before it runs, and none of a new file")
    func told() throws {
        var told: [Migration.Step] = []
        try connection().migrate([steps[0]]) { told.append($0) }
        #expect(told.isEmpty)
        try connection().migrate(steps) { told.append($0) }
        try connection().migrate(steps) { told.append($0) }
        #expect(told == [Migration.Step(name: "second", number: 2, last: 2)])
    }

    @Test("A newer file is refused and left as it is")
    func newer() throws {
        try connection().migrate(steps)
        #expect(throws: Migration.Failure.newerSchema(found: 2, known: 1)) {
            try connection().migrate([steps[0]])
        }
        #expect(try connection().integer("PRAGMA user_version") == 2)
    }

    @Test("A step that fails leaves the file at the step before")
    func failing() throws {
        try connection().migrate(steps)
        let error = #expect(throws: Migration.Failure.self) {
            try connection().migrate(steps + [broken])
        }
        #expect(error?.description.hasPrefix("migration broken: ") == true)
        #expect(try connection().integer("PRAGMA user_version") == 2)
        #expect(try connection().integer("SELECT count(*) FROM sqlite_schema") == 2)
    }

    @Test("A new file has the whole schema or none")
    func new() throws {
        let error = #expect(throws: Migration.Failure.self) {
            try connection().migrate(steps + [broken])
        }
        #expect(error?.description.hasPrefix("migration broken: ") == true)
        #expect(try connection().integer("PRAGMA user_version") == 0)
        #expect(try connection().integer("SELECT count(*) FROM sqlite_schema") == 0)
    }
}
