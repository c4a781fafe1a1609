import Base
import CSQLite

/// Reads recorded changes row by row.
package struct ChangeReader: ~Copyable {
    package enum Kind: Sendable { case insert, update, delete }

    private let handle: OpaquePointer
    // sqlite3changeset_start does not copy.
    private let bytes: UnsafeMutableRawBufferPointer

    package init(_ changes: [UInt8]) throws(SQLiteError) {
        bytes = .allocate(byteCount: max(1, changes.count), alignment: 1)
        bytes.copyBytes(from: changes)
        var handle: OpaquePointer?
        let code = sqlite3changeset_start(&handle, Int32(changes.count), bytes.baseAddress)
        guard code == SQLITE_OK, let handle else {
            bytes.deallocate()
            throw SQLiteError("sqlite3changeset_start", code: code)
        }
        self.handle = handle
    }

    deinit {
        sqlite3changeset_finalize(handle)
        bytes.deallocate()
    }

    /// Goes to the next row; nil if there is none.
    package func next() throws(SQLiteError) -> (table: String, kind: Kind)? {
        let code = sqlite3changeset_next(handle)
        if code == SQLITE_DONE { return nil }
        guard code == SQLITE_ROW else { throw SQLiteError("sqlite3changeset_next", code: code) }
        var (name, columns, operation): (UnsafePointer<CChar>?, Int32, Int32) = (nil, 0, 0)
        let described = sqlite3changeset_op(handle, &name, &columns, &operation, nil)
        guard described == SQLITE_OK, let name else {
            throw SQLiteError("sqlite3changeset_op", code: described)
        }
        let kind: Kind =
            switch operation {
            case SQLITE_INSERT: .insert
            case SQLITE_DELETE: .delete
            default: .update
            }
        return (String(cString: name), kind)
    }

    /// How many columns the row has.
    var columnCount: Int {
        var (name, columns, operation): (UnsafePointer<CChar>?, Int32, Int32) = (nil, 0, 0)
        let code = sqlite3changeset_op(handle, &name, &columns, &operation, nil)
        return code == SQLITE_OK ? Int(columns) : 0
    }

    /// A value after the change; nil if the row was deleted, or the column did not change.
    package func new(_ column: Int32) -> ChangedValue? { value(column, sqlite3changeset_new) }

    /// A value before it; nil if the row is new, or the column neither changed nor names the row.
    package func old(_ column: Int32) -> ChangedValue? { value(column, sqlite3changeset_old) }

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

    private typealias Read = (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

    private func value(_ column: Int32, _ read: Read) -> ChangedValue? {
        pointer(column, read).map { ChangedValue($0) }
    }

    private func pointer(_ column: Int32, _ read: Read) -> OpaquePointer? {
        var value: OpaquePointer?
        return read(handle, column, &value) == SQLITE_OK ? value : nil
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
