/// One step of the schema. A released step never changes; new ones are appended.
package struct Migration: Sendable {
    package let name: StaticString
    package let sql: String

    package init(_ name: StaticString, _ sql: String) {
        self.name = name
        self.sql = sql
    }

    /// What a file goes through; it then has the schema of that number.
    package struct Step: Equatable, Sendable {
        package let name: String
        package let number: Int
        package let last: Int
    }

    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// A newer program wrote the file.
        case newerSchema(found: Int, known: Int)
        case step(String, SQLiteError)
        case sqlite(SQLiteError)

        package var description: String {
            switch self {
            case .newerSchema(let found, let known):
                "the schema has number \(found), this program knows only up to \(known)"
            case .step(let name, let error): "migration \(name): \(error)"
            case .sqlite(let error): "\(error)"
            }
        }
    }
}

extension Connection {
    /// Runs the steps that are new for this file, each in a transaction that also stores its number.
    /// `beginning` is told before each step of a file that has had a schema before. A new file gets
    /// all of them in one transaction: a power cut leaves the whole schema there, or none.
    package func migrate(
        _ migrations: [Migration], beginning: (Migration.Step) -> Void = { _ in }
    ) throws(Migration.Failure) {
        let version: Int
        do throws(SQLiteError) {
            version = Int(try integer("PRAGMA user_version"))
        } catch { throw .sqlite(error) }
        guard (0...migrations.count).contains(version) else {
            throw .newerSchema(found: version, known: migrations.count)
        }
        let steps = Array(migrations.enumerated().dropFirst(version))
        for group in version > 0 ? steps.map({ [$0] }) : [steps] {
            var name = ""
            do throws(SQLiteError) {
                try transaction { () throws(SQLiteError) in
                    for (index, migration) in group {
                        name = "\(migration.name)"
                        let step = Migration.Step(
                            name: name, number: index + 1, last: migrations.count)
                        if version > 0 { beginning(step) }
                        try execute(migration.sql)
                        try execute("PRAGMA user_version = \(step.number)")
                    }
                }
            } catch { throw .step(name, error) }
        }
    }
}
