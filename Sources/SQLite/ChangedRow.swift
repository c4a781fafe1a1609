import Base
import CSQLite

/// A table as its changes describe it.
struct ChangedTable: Sendable {
    let name: String
    let columns: [String]
    /// For each column its place in the primary key, from 1, or zero.
    let key: [UInt8]

    /// Nil if there is no such table, or it declares no primary key.
    init?(_ name: String, on connection: borrowing Connection) throws(SQLiteError) {
        var (columns, key): ([String], [UInt8]) = ([], [])
        let select = try Statement("SELECT name, pk FROM pragma_table_info(?1)", on: connection)
        try select.bind(text: name, at: 1)
        while try select.step() {
            columns.append(select.text(0))
            key.append(UInt8(clamping: select.integer(1)))
        }
        guard key.contains(where: { $0 > 0 }) else { return nil }
        (self.name, self.columns, self.key) = (name, columns, key)
    }
}

/// Statements that change one row. The first parameters are its values before, or those of a new
/// row; the next are those after an update.
extension ChangedTable {
    var insert: String {
        let values = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \"\(name)\" VALUES (\(values))"
    }

    var delete: String {
        "DELETE FROM \"\(name)\" WHERE " + condition { _ in true }
    }

    func update(_ isChanged: [Bool]) -> String {
        let changes = columns.indices.filter { isChanged[$0] }
            .map { "\"\(columns[$0])\" = ?\(columns.count + $0 + 1)" }
        return "UPDATE \"\(name)\" SET \(changes.joined(separator: ", ")) WHERE "
            + condition { isChanged[$0] }
    }

    /// That the row is as it was, in the columns of the key and in the others that count.
    private func condition(_ counts: (Int) -> Bool) -> String {
        columns.indices.filter { key[$0] > 0 || counts($0) }
            .map { "\"\(columns[$0])\" \(key[$0] > 0 ? "=" : "IS") ?\($0 + 1)" }
            .joined(separator: " AND ")
    }
}

/// The values of a row, one after the other, as a changeset has them.
struct ChangedRow: Hashable {
    /// The first byte of a value.
    private enum Kind {
        static let undefined: UInt8 = 0
        static let integer: UInt8 = 1
        static let real: UInt8 = 2
        static let text: UInt8 = 3
        static let bytes: UInt8 = 4
        static let null: UInt8 = 5
    }

    private(set) var bytes: [UInt8] = []

    /// `value` is one of SQLite's, which still owns it.
    mutating func append(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            append(UInt64(bitPattern: sqlite3_value_int64(value)), Kind.integer)
        case SQLITE_FLOAT: append(sqlite3_value_double(value).bitPattern, Kind.real)
        case SQLITE_TEXT: append(sqlite3_value_text(value), of: value, Kind.text)
        case SQLITE_BLOB: append(sqlite3_value_blob(value), of: value, Kind.bytes)
        default: bytes.append(Kind.null)
        }
    }

    private mutating func append(_ word: UInt64, _ kind: UInt8) {
        bytes.append(kind)
        bytes.append(bigEndian: word)
    }

    /// SQLite may convert a value when its address is asked for, so its length is asked afterwards.
    private mutating func append(
        _ start: UnsafeRawPointer?, of value: OpaquePointer, _ kind: UInt8
    ) {
        let content = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        bytes.append(kind)
        bytes.append(varint: content.count)
        bytes.append(contentsOf: content)
    }

    /// What an update contains: the values before it, then the values after it. Unchanged values
    /// are undefined, except that the key is there before, and that kept columns are there on both
    /// sides: SQLite would not read them on one side only.
    func difference(
        to other: ChangedRow, of key: [UInt8], keeping isKept: [Bool]
    ) -> [UInt8] {
        let (mine, others) = (values, other.values)
        let isTold = zip(isKept, zip(mine, others)).map {
            $0 || bytes[$1.0] != other.bytes[$1.1]
        }
        var result: [UInt8] = []
        for (column, range) in mine.enumerated() {
            result += isTold[column] || key[column] > 0 ? bytes[range] : [Kind.undefined]
        }
        for (column, range) in others.enumerated() {
            result += isTold[column] ? other.bytes[range] : [Kind.undefined]
        }
        return result
    }

    /// Where each value is.
    private var values: [Range<Int>] {
        var (ranges, start): ([Range<Int>], Int) = ([], 0)
        while start < bytes.count {
            let end = end(ofValueAt: start)
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }

    private func end(ofValueAt start: Int) -> Int {
        switch bytes[start] {
        case Kind.integer, Kind.real: return start + 9
        case Kind.text, Kind.bytes:
            var (length, end) = (0, start + 1)
            repeat {
                length = length << 7 | Int(bytes[end] & 0x7f)
                end += 1
            } while bytes[end - 1] & 0x80 != 0
            return end + length
        default: return start + 1
        }
    }
}

extension [UInt8] {
    /// SQLite's integers of variable length: seven bits in each byte, the highest first. Lengths are
    /// below 2³¹.
    mutating func append(varint value: Int) {
        for place in stride(from: 28, to: 0, by: -7) where value >> place > 0 {
            append(UInt8(truncatingIfNeeded: value >> place) | 0x80)
        }
        append(UInt8(truncatingIfNeeded: value) & 0x7f)
    }
}
