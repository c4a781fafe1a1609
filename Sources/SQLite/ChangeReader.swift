import Base
import CSQLite

/// Reads recorded changes row by row, where they are.
package struct ChangeReader: ~Copyable {
    package enum Kind: Sendable { case insert, update, delete }

    /// The table of the present row.
    package private(set) var table = ""
    /// What happens to the row.
    package private(set) var kind = Kind.insert
    private(set) var columnCount = 0
    /// The names of its columns, which the changes do not tell.
    var columns: [String] = []
    private let handle: OpaquePointer

    /// `body` goes through the changes, of which SQLite makes no copy.
    static func read<Result>(
        _ changes: [UInt8], _ body: (inout ChangeReader) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try changes.span.withUnsafeBytes { bytes throws(SQLiteError) -> Result in
            var reader = try ChangeReader(bytes)
            return try body(&reader)
        }
    }

    private init(_ changes: UnsafeRawBufferPointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3changeset_start(
            &handle, Int32(changes.count), UnsafeMutableRawPointer(mutating: changes.baseAddress))
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError("sqlite3changeset_start", code: code)
        }
        self.handle = handle
    }

    deinit { sqlite3changeset_finalize(handle) }

    /// Goes to the next row; false if there is none.
    mutating func next() throws(SQLiteError) -> Bool {
        let code = sqlite3changeset_next(handle)
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_ROW else { throw SQLiteError("sqlite3changeset_next", code: code) }
        var (name, columns, operation): (UnsafePointer<CChar>?, Int32, Int32) = (nil, 0, 0)
        let described = sqlite3changeset_op(handle, &name, &columns, &operation, nil)
        guard described == SQLITE_OK, let name else {
            throw SQLiteError("sqlite3changeset_op", code: described)
        }
        table = String(cString: name)
        columnCount = Int(columns)
        kind =
            switch operation {
            case SQLITE_INSERT: .insert
            case SQLITE_DELETE: .delete
            default: .update
            }
        return true
    }

    func hasNew(_ column: Int32) -> Bool { pointer(column, sqlite3changeset_new) != nil }

    /// Leaves the parameter as it is if the value is not known.
    func bindNew(
        _ column: Int32, to statement: borrowing Statement, at index: Int32
    ) throws(SQLiteError) {
        guard let value = pointer(column, sqlite3changeset_new) else { return }
        try statement.bind(copy: value, at: index)
    }

    func bindOld(
        _ column: Int32, to statement: borrowing Statement, at index: Int32
    ) throws(SQLiteError) {
        guard let value = pointer(column, sqlite3changeset_old) else { return }
        try statement.bind(copy: value, at: index)
    }

    fileprivate typealias Read = (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

    fileprivate func pointer(_ column: Int32, _ read: Read) -> OpaquePointer? {
        var value: OpaquePointer?
        return read(handle, column, &value) == SQLITE_OK ? value : nil
    }
}

/// Values by the names of their columns.
extension ChangeReader {
    /// A value after the change; nil if the row was deleted, or the column neither changed nor is
    /// kept.
    package func new(_ column: String) -> ChangedValue? { value(column, sqlite3changeset_new) }

    /// A value before it; nil if the row is new, or the column neither changed nor is kept nor names
    /// the row.
    package func old(_ column: String) -> ChangedValue? { value(column, sqlite3changeset_old) }

    /// The value after the change or, if that is not there, before it.
    package func last(_ column: String) -> ChangedValue? { new(column) ?? old(column) }

    /// The values of these columns in a new row, or in one that was deleted.
    package func values(_ columns: [String]) -> ChangedValues {
        ChangedValues(values: columns.map { last($0) ?? .null })
    }

    private func value(_ column: String, _ read: Read) -> ChangedValue? {
        guard let place = columns.firstIndex(of: column) else { return nil }
        return pointer(Int32(place), read).map { ChangedValue($0) }
    }
}

/// A value of a changed row, copied.
package enum ChangedValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    fileprivate init(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            self = .text(sqlite3_value_text(value).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(value))
            self = .bytes(
                sqlite3_value_blob(value).map {
                    Array(UnsafeRawBufferPointer(start: $0, count: count))
                } ?? [])
        default: self = .null
        }
    }

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}

/// Values of a changed row by their place, as a statement has them that selects these columns.
package struct ChangedValues: Sendable {
    fileprivate let values: [ChangedValue]

    package func integer(_ column: Int32) -> Int64 { values[Int(column)].integer ?? 0 }
    package func text(_ column: Int32) -> String { values[Int(column)].text ?? "" }
    package func bytes(_ column: Int32) -> [UInt8] { values[Int(column)].bytes ?? [] }
    package func isNull(_ column: Int32) -> Bool { values[Int(column)] == .null }

    package func withBytes<Result: ~Copyable>(
        _ column: Int32, _ body: (Span<UInt8>) -> Result
    ) -> Result {
        body(bytes(column).span)
    }
}
