import SQLite

/// A statement of the store's database: where it fails, the store does.
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

    /// NULL where there is nothing.
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

extension Connection {
    /// What SQLite answers here is the store's.
    borrowing func forStore<Result: ~Copyable>(
        _ body: (borrowing Connection) throws(SQLiteError) -> Result
    ) throws(StoreFault) -> Result {
        do throws(SQLiteError) { return try body(self) } catch { throw StoreFault(error) }
    }

    /// The one integer that `sql` asks for.
    func number(_ sql: String) throws(StoreFault) -> Int64 {
        let statement = try StoreStatement(sql, on: self)
        return try statement.step() ? statement.integer(0) : 0
    }
}
