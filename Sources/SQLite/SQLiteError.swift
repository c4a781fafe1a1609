import CSQLite

/// A call of SQLite that failed. Knows the call and the extended code, never a bound value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    init(_ call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    /// There is no room on the disk, or in what the database may use of it.
    package var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// The file is no database, or a broken one.
    package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    package var description: String {
        "\(call): \(String(cString: sqlite3_errstr(code))) (\(code))"
    }
}

/// Turns SQLite's "0 is success" into a thrown error.
@inline(__always)
func ensure(_ code: Int32, _ call: StaticString) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(call, code: code) }
}
