import CSQLite

/// The statements of a connection that nobody uses now, by their text.
///
/// To prepare a statement takes longer than to run most of them.
// Unchecked: it is used by the thread of its connection alone.
final class StatementShelf: @unchecked Sendable {
    private static let limit = 64

    private var statements: [String: OpaquePointer] = [:]
    private var isClosed = false

    func take(_ sql: String) -> OpaquePointer? { statements.removeValue(forKey: sql) }

    /// It keeps no values.
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
