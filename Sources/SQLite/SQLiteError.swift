import CSQLite

/// A failed call of SQLite: the call and the extended code, never a bound value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32
    /// Recorded changes do not fit, because a row of this table is not as it was where they were made.
    package let table: String?

    init(_ call: StaticString, code: Int32, table: String? = nil) {
        self.call = "\(call)"
        self.code = code
        self.table = table
    }

    /// The disk, or the database's share of it, is full.
    package var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// The file is not a database, or is damaged.
    package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    /// A transaction was interrupted, and only who may write can take it back
    /// (SQLITE_READONLY_ROLLBACK).
    var isInterrupted: Bool { code == SQLITE_READONLY | 3 << 8 }

    package var description: String {
        "\(call): \(String(cString: sqlite3_errstr(code))) (\(code))"
    }
}

/// Turns SQLite's "0 is success" into a thrown error.
@inline(__always)
func ensure(_ code: Int32, _ call: StaticString) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(call, code: code) }
}
