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

    init(positions: [Int64]) { self.positions = positions }

    /// Nil if what an account's row holds is the account.
    init?(_ state: [UInt8]) {
        guard state.first == Self.mark, state.count % 8 == 1 else { return nil }
        positions = stride(from: 1, to: state.count, by: 8).map {
            Int64(bitPattern: state.span.word(at: $0))
        }
    }

    /// The account of a row; nil if a part of it is missing or does not open.
    static func joined(
        _ state: [UInt8], _ open: (Int64) throws(StoreFault) -> [UInt8]?
    ) throws(StoreFault) -> [UInt8]? {
        guard let parts = AccountParts(state) else { return state }
        var account: [UInt8] = []
        for position in parts.positions {
            guard let part = try open(position) else { return nil }
            account += part
        }
        return account
    }

    static func isPart(_ engines: Span<UInt8>) -> Bool { engines.count % 4 == 1 }

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

}
