import Base
import SQLite
import System

/// A database of another program, which may be damaged or an attack. It is only read.
///
/// It is checked once, when it is opened. Its tables are read by their rows, one after the other, so that
/// one that is too long or holds something else costs nothing but itself.
final class ForeignDatabase {
    /// More is not looked at.
    static let sizeLimit = 2 << 30
    static let rowLimit: Int32 = 4 << 20
    /// As much as the history of a topic.
    private static let keptLimit = 64 << 20
    /// Tables that are read as a whole have at most so many rows.
    private static let wholeLimit = 100_000

    private let connection: Connection
    let path: String

    init(_ path: String) throws {
        let (real, size): (String, Int)
        do throws(SystemError) {
            // The last part is not followed if it is a link.
            real = try RealPath.ofFile(path)
            size = try LargeFile(real, followsLink: false).size
        } catch {
            throw CommandError(message: "\(Printable.text(path)): \(error)", hint: error.hint)
        }
        guard size <= Self.sizeLimit else {
            throw Self.refusal(path, "is larger than \(ByteCount.text(Self.sizeLimit))")
        }
        connection = try Self.open(real, path)
        self.path = path
    }

    private static func open(_ real: String, _ path: String) throws -> Connection {
        let finding: String?
        do throws(SQLiteError) {
            let connection = try Connection(real, .readOnly)
            finding = try connection.damage()
            connection.setLimit(ofRows: rowLimit)
            if finding == nil { return connection }
        } catch { throw refusal(path, error) }
        throw refusal(path, "is damaged: \(Printable.text(finding ?? "", limit: 200))")
    }

    static func refusal(_ path: String, _ finding: String) -> CommandError {
        CommandError(message: "\(Printable.text(path)) \(finding)")
    }

    private static func refusal(_ path: String, _ error: SQLiteError) -> CommandError {
        guard !error.isInterrupted else {
            return CommandError(
                message: "\(Printable.text(path)) has a transaction that was interrupted",
                hint: "start its server once, end it, and import again")
        }
        return CommandError(
            message: "\(Printable.text(path)): \(error)",
            hint: "end its server, or copy the file with what is beside it, and import the copy")
    }

    /// The columns of a table; empty if there is none. A view could compute anything, and so could a
    /// column that is generated.
    func columns(of table: String) throws -> Set<String> {
        try reading {
            let kind = try Statement(
                "SELECT type = 'table' AND rootpage > 0 FROM sqlite_schema WHERE name = ?1",
                on: connection)
            try kind.bind(text: table, at: 1)
            guard try kind.step() else { return [] }
            guard kind.integer(0) == 1 else {
                throw Self.refusal(path, "is not what its server made: \(table) is no table")
            }
            let select = try Statement(
                "SELECT name, hidden FROM pragma_table_xinfo('\(table)')", on: connection)
            var names: Set<String> = []
            while try select.step() {
                guard select.integer(1) == 0, select.text(0).lowercased() != "rowid" else {
                    throw Self.refusal(path, "is not what its server made: \(table) was changed")
                }
                names.insert(select.text(0))
            }
            return names
        }
    }

    /// Calls `body` with all rows of a table, the newest first, as below. A table of which that would be
    /// too much is refused: what it says is only true as a whole.
    func forAll(
        _ table: String, _ values: [String], _ body: (borrowing Statement) -> Int?
    ) throws -> UnreadableRows {
        var (kept, count) = (0, 0)
        let unreadable = try forEach(table, values, newest: Self.wholeLimit + 1) { row in
            count += 1
            let size = body(row)
            kept += size ?? 0
            return size
        }
        guard kept < Self.keptLimit, count + unreadable.count <= Self.wholeLimit else {
            throw Self.refusal(path, "has more in \(table) than can be taken")
        }
        return unreadable
    }

    /// Calls `body` with the rows of a table, the newest first, and returns those that cannot be read.
    /// It says how many bytes it keeps of one, or that it can read nothing of it; no more rows are
    /// read when that is too much.
    func forEach(
        _ table: String, _ values: [String], where condition: String = "1",
        _ arguments: [String] = [], newest limit: Int, _ body: (borrowing Statement) -> Int?
    ) throws -> UnreadableRows {
        try reading {
            let rows = try Statement(
                "SELECT rowid FROM \(table) WHERE \(condition) ORDER BY rowid DESC LIMIT ?9",
                on: connection)
            for (index, argument) in arguments.enumerated() {
                try rows.bind(text: argument, at: Int32(index + 1))
            }
            try rows.bind(Int64(limit), at: 9)
            let row = try Statement(
                "SELECT \(values.joined(separator: ", ")) FROM \(table) WHERE rowid = ?1",
                on: connection)
            var (unreadable, room) = (UnreadableRows(table), Self.keptLimit)
            while room > 0, try rows.step() {
                let number = rows.integer(0)
                try row.bind(number, at: 1)
                if let kept = try Self.read(row, body) {
                    room -= kept
                } else {
                    unreadable.add(number)
                }
                row.reset()
            }
            rows.reset()
            return unreadable
        }
    }

    private static func read(
        _ row: borrowing Statement, _ body: (borrowing Statement) -> Int?
    ) throws(SQLiteError) -> Int? {
        do throws(SQLiteError) { return try row.step() ? body(row) : nil } catch {
            guard error.isTooBig else { throw error }
            return nil
        }
    }

    /// The different texts in a column, and the first row of each other value. Texts that would be too
    /// much are refused.
    func texts(
        _ column: String, of table: String, limit: Int
    ) throws -> (texts: [String], unreadable: UnreadableRows) {
        try reading {
            let select = try Statement(
                "SELECT \(column), min(rowid) FROM \(table) GROUP BY \(column) LIMIT \(limit)",
                on: connection)
            var (texts, unreadable) = ([String](), UnreadableRows(table))
            var room = Self.keptLimit
            while try select.step() {
                if let text = select.strictText(0) {
                    room -= text.utf8.count
                    guard room > 0 else {
                        throw Self.refusal(path, "has more in \(table) than can be taken")
                    }
                    texts.append(text)
                } else {
                    unreadable.add(select.integer(1))
                }
            }
            return (texts, unreadable)
        }
    }

    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            throw Self.refusal(path, error)
        }
    }
}
