import SQLite

/// A statement on the store's database that reports its errors as `StoreFault`.
struct StoreStatement: ~Copyable, Sendable {
    private let statement: Statement

    init(_ sql: String, on connection: borrowing Connection) throws(StoreFault) {
        do throws(SQLiteError) {
            statement = try Statement(sql, on: connection)
        } catch { throw StoreFault(error) }
    }

    func bind(_ value: Int64, at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bind(value, at: index) } catch {
            throw StoreFault(error)
        }
    }

    func bind(_ value: Int64?, at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bind(value, at: index) } catch {
            throw StoreFault(error)
        }
    }

    func bind(_ bytes: Span<UInt8>, at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bind(bytes, at: index) } catch {
            throw StoreFault(error)
        }
    }

    /// Binds NULL for nil.
    func bind(_ bytes: [UInt8]?, at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bind(bytes, at: index) } catch {
            throw StoreFault(error)
        }
    }

    func bind(text: String, at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bind(text: text, at: index) } catch {
            throw StoreFault(error)
        }
    }

    func bindNull(at index: Int32) throws(StoreFault) {
        do throws(SQLiteError) { try statement.bindNull(at: index) } catch {
            throw StoreFault(error)
        }
    }

    func step() throws(StoreFault) -> Bool {
        do throws(SQLiteError) { return try statement.step() } catch { throw StoreFault(error) }
    }

    func run() throws(StoreFault) {
        while try step() {}
    }

    func reset() { statement.reset() }
    func integer(_ column: Int32) -> Int64 { statement.integer(column) }
    func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
    func bytes(_ column: Int32) -> [UInt8] { statement.bytes(column) }
    func text(_ column: Int32) -> String { statement.text(column) }

    func withBytes<Result: ~Copyable>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
        statement.withBytes(column, body)
    }
}

/// Values by their place: a row that a statement found, or one that another store has changed.
protocol StoredRow: ~Copyable {
    func integer(_ column: Int32) -> Int64
    func isNull(_ column: Int32) -> Bool
    func bytes(_ column: Int32) -> [UInt8]
    func text(_ column: Int32) -> String
    func withBytes<Result: ~Copyable>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result
}

extension StoreStatement: StoredRow {}
extension ChangedValues: StoredRow {}

/// A value that can be bound to a parameter.
protocol StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault)
}

extension Int64: StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault) {
        try statement.bind(self, at: index)
    }
}

extension UInt32: StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault) {
        try statement.bind(Int64(self), at: index)
    }
}

extension String: StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault) {
        try statement.bind(text: self, at: index)
    }
}

extension [UInt8]: StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault) {
        try statement.bind(span, at: index)
    }
}

extension Optional: StoreValue where Wrapped: StoreValue {
    func bind(to statement: borrowing StoreStatement, at index: Int32) throws(StoreFault) {
        if let self {
            try self.bind(to: statement, at: index)
        } else {
            try statement.bindNull(at: index)
        }
    }
}

/// Statements for rare queries, which the connection keeps.
extension Connection {
    /// Binds the values to the parameters in order.
    func statement<each Value: StoreValue>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreFault) -> StoreStatement {
        let statement = try StoreStatement(sql, on: self)
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: statement, at: index)
        }
        return statement
    }

    /// Finds these columns of all rows.
    func select(_ columns: [String], from table: String) throws(StoreFault) -> StoreStatement {
        try StoreStatement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table)", on: self)
    }

    func run<each Value: StoreValue>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreFault) {
        try statement(sql, repeat each values).run()
    }

    /// The single integer that `sql` selects; zero if there is no row.
    func number<each Value: StoreValue>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreFault) -> Int64 {
        let statement = try statement(sql, repeat each values)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The row numbers that `sql` selects.
    func rows<each Value: StoreValue>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreFault) -> [UInt32] {
        let statement = try statement(sql, repeat each values)
        var rows: [UInt32] = []
        while try statement.step() { rows.append(UInt32(clamping: statement.integer(0))) }
        return rows
    }

    /// Turns SQLite's errors into store faults.
    func forStore<Result: ~Copyable>(
        _ body: (borrowing Connection) throws(SQLiteError) -> Result
    ) throws(StoreFault) -> Result {
        do throws(SQLiteError) { return try body(self) } catch { throw StoreFault(error) }
    }
}
