import Base
import CSQLite

/// A prepared statement, for the thread of its connection.
///
/// Parameters count from 1 and columns from 0, as in SQL and C. The bytes of a column are valid
/// until the next `step` or `reset`.
package struct Statement: ~Copyable, Sendable {
    // Sendable for the same reason as its connection.
    nonisolated(unsafe) private let handle: OpaquePointer
    private let sql: String
    private let shelf: StatementShelf

    /// `sql` must be a single statement.
    package init(_ sql: String, on connection: borrowing Connection) throws(SQLiteError) {
        self.sql = sql
        shelf = connection.shelf
        if let kept = shelf.take(sql) {
            handle = kept
            return
        }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw SQLiteError("sqlite3_prepare_v3", code: code)
        }
        handle = prepared
    }

    deinit { shelf.put(handle, sql) }

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try ensure(sqlite3_bind_int64(handle, index, value), "sqlite3_bind_int64")
    }

    package func bind(real value: Double, at index: Int32) throws(SQLiteError) {
        try ensure(sqlite3_bind_double(handle, index, value), "sqlite3_bind_double")
    }

    package func bind(_ bytes: Span<UInt8>, at index: Int32) throws(SQLiteError) {
        let code = bytes.withUnsafeBufferPointer { bytes in
            // SQLite would bind NULL instead of an empty blob if the address were nil.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : csqlite_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
        }
        try ensure(code, "sqlite3_bind_blob")
    }

    /// Nil binds NULL.
    package func bind(_ bytes: [UInt8]?, at index: Int32) throws(SQLiteError) {
        guard let bytes else { return try bindNull(at: index) }
        try bind(bytes.span, at: index)
    }

    package func bind(_ value: Int64?, at index: Int32) throws(SQLiteError) {
        guard let value else { return try bindNull(at: index) }
        try bind(value, at: index)
    }

    package func bind(text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { text in
            csqlite_bind_text(handle, index, text.baseAddress, Int32(text.count))
        }
        try ensure(code, "sqlite3_bind_text")
    }

    /// Copies one of SQLite's own values.
    func bind(copy value: OpaquePointer, at index: Int32) throws(SQLiteError) {
        try ensure(sqlite3_bind_value(handle, index, value), "sqlite3_bind_value")
    }

    package func bindNull(at index: Int32) throws(SQLiteError) {
        try ensure(sqlite3_bind_null(handle, index), "sqlite3_bind_null")
    }

    /// Goes to the next row; false if there is none. After false or an error the statement can be
    /// bound and run again.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw SQLiteError("sqlite3_step", code: code) }
        return false
    }

    /// Runs the statement and ignores its rows.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Drops the remaining rows.
    package func reset() { sqlite3_reset(handle) }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    /// One of SQLite's numbers for types.
    func kind(of column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Nil for a value of another kind, as files of other programs may have anywhere.
    package func strictInteger(_ column: Int32) -> Int64? {
        kind(of: column) == SQLITE_INTEGER ? integer(column) : nil
    }

    /// Nil for what is no text in UTF-8.
    package func strictText(_ column: Int32) -> String? {
        guard kind(of: column) == SQLITE_TEXT else { return nil }
        return String(validating: bytes(column), as: UTF8.self)
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// The bytes of a blob or text; empty for NULL.
    package func withBytes<Result: ~Copyable, Failure>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        let bytes = UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
        return try body(bytes.span)
    }

    package func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { $0.array(0..<$0.count) }
    }

    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}

/// The statements of a connection that nobody uses now, by their text.
///
/// To prepare a statement takes longer than to run most of them.
// Unchecked: it is used by the thread of its connection alone.
final class StatementShelf: @unchecked Sendable {
    private static let limit = 64

    private var statements: [String: OpaquePointer] = [:]
    private var isClosed = false

    func take(_ sql: String) -> OpaquePointer? { statements.removeValue(forKey: sql) }

    /// Puts a statement back, without its values.
    func put(_ statement: OpaquePointer, _ sql: String) {
        guard !isClosed, statements.count < Self.limit, statements[sql] == nil else {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        statements[sql] = statement
    }

    /// The connection ends. Statements that are still in use then are not kept.
    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        isClosed = true
    }
}
