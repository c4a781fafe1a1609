import Base
import SQLite

/// The parts of an account that is too large for one commit.
///
/// Each part is a record of the journal's table: its position is in the account's own row, sealed
/// with it, so parts cannot be exchanged. What makes a part, in the row of the record, is one byte
/// after the number of its engine.
struct AccountParts {
    /// No account begins with it.
    private static let mark: UInt8 = 0xFF

    let positions: [Int64]

    /// What the account's row holds instead of the account.
    var bytes: [UInt8] {
        var bytes = [Self.mark]
        for position in positions { bytes.append(bigEndian: UInt64(bitPattern: position)) }
        return bytes
    }

    /// The account of a row; nil if a part of it is missing or does not open.
    static func joined(
        _ state: [UInt8], _ open: (Int64) throws(StoreFault) -> [UInt8]?
    ) throws(StoreFault) -> [UInt8]? {
        guard state.first == mark else { return state }
        guard state.count % 8 == 1 else { return nil }
        var account: [UInt8] = []
        for start in stride(from: 1, to: state.count, by: 8) {
            guard let part = try open(Int64(bitPattern: state.span.word(at: start))) else {
                return nil
            }
            account += part
        }
        return account
    }

    static func isPart(_ engines: [UInt8]) -> Bool { engines.count % 4 == 1 }

    private static func name(of engine: UInt32) -> [UInt8] {
        var name: [UInt8] = []
        name.append(bigEndian: engine)
        return name + [0]
    }

    static func write(
        _ sealed: [UInt8], of engine: UInt32, at position: Int64,
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "INSERT INTO engine_record VALUES (?1, ?2, ?3)", position, name(of: engine), sealed)
    }

    /// The positions of all parts of an engine, also of those that no row names.
    static func all(
        of engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [Int64] {
        let select = try connection.statement(
            "SELECT position FROM engine_record WHERE engines = ?1", name(of: engine))
        var positions: [Int64] = []
        while try select.step() { positions.append(select.integer(0)) }
        return positions
    }

    static func remove(
        _ position: Int64, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run("DELETE FROM engine_record WHERE position = ?1", position)
    }

    static func removeAll(
        of engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run("DELETE FROM engine_record WHERE engines = ?1", name(of: engine))
    }
}
