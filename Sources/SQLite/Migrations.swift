/// One step of a schema. A released step never changes; new ones are appended.
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
        /// The program that wrote the file is so old that none of today's steps lead on from it.
        case earlierSchema(found: Int, first: Int)
        case step(String, SQLiteError)
        case sqlite(SQLiteError)

        package var description: String {
            switch self {
            case .newerSchema(let found, let known):
                "the schema has number \(found), this program knows only up to \(known)"
            case .earlierSchema(let found, let first):
                "the schema has number \(found), this program continues only those from \(first) on"
            case .step(let name, let error): "migration \(name): \(error)"
            case .sqlite(let error): "\(error)"
            }
        }
    }
}

/// The steps by which files of one kind come to today's schema. Each makes the schema of the next
/// number, which the file keeps as its `user_version`; a new file has number 0.
package struct Migrations: Sendable {
    /// The schema that the first step makes. Files with a lower one are not continued.
    package let first: Int
    package let steps: [Migration]

    package init(first: Int = 1, _ steps: [Migration]) {
        self.first = first
        self.steps = steps
    }

    /// The schema that the last step makes.
    package var last: Int { first + steps.count - 1 }

    /// These migrations and one more step.
    package func adding(_ step: Migration) -> Migrations {
        Migrations(first: first, steps + [step])
    }

    /// The steps that led to a schema.
    func leading(to version: Int) -> ArraySlice<Migration> {
        steps.prefix(max(version - first + 1, 0))
    }

    /// The steps that are new for a file with this schema, each with its number.
    fileprivate func following(_ version: Int) -> [(number: Int, step: Migration)] {
        zip(first..., steps).filter { $0.0 > version }.map { ($0.0, $0.1) }
    }

    /// Why a file with this schema cannot be continued; nil if it can.
    func refusal(of version: Int) -> Migration.Failure? {
        guard (0...last).contains(version) else {
            return .newerSchema(found: version, known: last)
        }
        guard version == 0 || version >= first else {
            return .earlierSchema(found: version, first: first)
        }
        return nil
    }
}

extension Connection {
    /// Runs the steps that are new for this file, each in a transaction that also stores its number.
    /// `beginning` is told before each step of a file that has had a schema before. A new file gets
    /// all of them in one transaction: a power cut leaves the whole schema there, or none.
    package func migrate(
        _ migrations: Migrations, beginning: (Migration.Step) -> Void = { _ in }
    ) throws(Migration.Failure) {
        let version: Int
        do throws(SQLiteError) {
            version = Int(try integer("PRAGMA user_version"))
        } catch { throw .sqlite(error) }
        if let refusal = migrations.refusal(of: version) { throw refusal }
        let steps = migrations.following(version)
        for group in version > 0 ? steps.map({ [$0] }) : [steps] {
            var name = ""
            do throws(SQLiteError) {
                try transaction { () throws(SQLiteError) in
                    for (number, migration) in group {
                        name = "\(migration.name)"
                        if version > 0 {
                            beginning(
                                Migration.Step(name: name, number: number, last: migrations.last))
                        }
                        try execute(migration.sql)
                        try execute("PRAGMA user_version = \(number)")
                    }
                }
            } catch { throw .step(name, error) }
        }
    }
}
