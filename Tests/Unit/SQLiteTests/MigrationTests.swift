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
        try connection().migrate(Migrations([steps[0]]))
        try connection().migrate(Migrations(steps))
        try connection().migrate(Migrations(steps))
        #expect(try connection().integer("SELECT count(*) FROM first") == 1)
        #expect(try connection().integer("PRAGMA user_version") == 2)
    }

    @Test("Each step of an earlier file is told before it runs, and none of a new file")
    func told() throws {
        var told: [Migration.Step] = []
        try connection().migrate(Migrations([steps[0]])) { told.append($0) }
        #expect(told.isEmpty)
        try connection().migrate(Migrations(steps)) { told.append($0) }
        try connection().migrate(Migrations(steps)) { told.append($0) }
        #expect(told == [Migration.Step(name: "second", number: 2, last: 2)])
    }

    @Test("A newer file is refused and left as it is")
    func newer() throws {
        try connection().migrate(Migrations(steps))
        #expect(throws: Migration.Failure.newerSchema(found: 2, known: 1)) {
            try connection().migrate(Migrations([steps[0]]))
        }
        #expect(try connection().integer("PRAGMA user_version") == 2)
    }

    @Test("A file from before the first step is refused and left as it is")
    func earlier() throws {
        try connection().migrate(Migrations(steps))
        let later = Migrations(first: 3, [broken])
        #expect(throws: Migration.Failure.earlierSchema(found: 2, first: 3)) {
            try connection().migrate(later)
        }
        #expect(throws: Migration.Failure.earlierSchema(found: 2, first: 3)) {
            try Inspection(later).finding(folder.file("test.db"))
        }
        #expect(try connection().integer("PRAGMA user_version") == 2)
    }

    @Test("The first step has the number it is given, and later ones follow")
    func numbered() throws {
        try connection().migrate(Migrations(first: 7, [steps[0]]))
        #expect(try connection().integer("PRAGMA user_version") == 7)
        var told: [Migration.Step] = []
        let all = Migrations(first: 7, [steps[0]]).adding(steps[1])
        try connection().migrate(all) { told.append($0) }
        #expect(told == [Migration.Step(name: "second", number: 8, last: 8)])
        #expect(try Inspection(all).finding(folder.file("test.db")) == nil)
    }

    @Test("A step that fails leaves the file at the step before")
    func failing() throws {
        try connection().migrate(Migrations(steps))
        let error = #expect(throws: Migration.Failure.self) {
            try connection().migrate(Migrations(steps + [broken]))
        }
        #expect(error?.description.hasPrefix("migration broken: ") == true)
        #expect(try connection().integer("PRAGMA user_version") == 2)
        #expect(try connection().integer("SELECT count(*) FROM sqlite_schema") == 2)
    }

    @Test("A new file has the whole schema or none")
    func new() throws {
        let error = #expect(throws: Migration.Failure.self) {
            try connection().migrate(Migrations(steps + [broken]))
        }
        #expect(error?.description.hasPrefix("migration broken: ") == true)
        #expect(try connection().integer("PRAGMA user_version") == 0)
        #expect(try connection().integer("SELECT count(*) FROM sqlite_schema") == 0)
    }
}
