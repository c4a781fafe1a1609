import Base
import Crypto
import SQLite

/// Reads and writes engines within the writer's transaction.
struct EngineRows: ~Copyable {
    private static let table: StaticString = "engine"
    private static let entryTable: StaticString = "engine_entry"
    private static let sealedColumn: StaticString = "sealed"

    private let insert: Statement
    private let engine: Statement
    private let subscription: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        let insert = try Statement("INSERT INTO engine_entry VALUES (?1, ?2)", on: connection)
        let engine = try Statement(
            "SELECT engine FROM registration WHERE device = ?1", on: connection)
        let subscription = try Statement(
            "SELECT 1 FROM subscription WHERE row = ?1", on: connection)
        self.insert = insert
        self.subscription = subscription
        self.engine = engine
    }

    static func place(_ engine: UInt32) -> Sealer.Place {
        Sealer.Place(table: table, row: Int64(engine), column: sealedColumn)
    }

    static func entryPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: entryTable, row: row, column: sealedColumn)
    }

    static func row(_ engine: UInt32, entry: Int64) -> Int64 { Int64(engine) << 32 | entry }

    func append(_ sealed: [UInt8], at row: Int64) throws(SQLiteError) {
        try insert.bind(row, at: 1)
        try insert.bind(sealed.span, at: 2)
        try insert.run()
    }

    /// Whether it has not ended while a push was on its way.
    func has(subscription row: UInt32) throws(SQLiteError) -> Bool {
        try subscription.bind(Int64(row), at: 1)
        defer { subscription.reset() }
        return try subscription.step()
    }

    /// Nil where the device is no registration.
    func engine(ofDevice device: UInt32) throws(SQLiteError) -> UInt32? {
        try engine.bind(Int64(device), at: 1)
        defer { engine.reset() }
        guard try engine.step(), !engine.isNull(0) else { return nil }
        return UInt32(clamping: engine.integer(0))
    }
}

/// What happens rarely.
extension EngineRows {
    static func insert(
        _ row: UInt32, owner: String, _ name: EngineName, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        let insert = try Statement(
            "INSERT INTO engine VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)", on: connection)
        try insert.bind(Int64(row), at: 1)
        try insert.bind(text: owner, at: 2)
        try insert.bind(name.app, at: 3)
        try insert.bind(name.account, at: 4)
        try insert.bind(name.user, at: 5)
        try insert.bind(sealed, at: 6)
        try insert.run()
    }

    static func set(
        user: [UInt8], of row: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let update = try Statement("UPDATE engine SET user = ?2 WHERE row = ?1", on: connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(user, at: 2)
        try update.run()
    }

    /// Takes the place of the journal up to `entry`.
    static func save(
        _ row: UInt32, through entry: Int64, sealed: [UInt8], on connection: borrowing Connection
    ) throws(SQLiteError) {
        let update = try Statement(
            "UPDATE engine SET entry = ?2, sealed = ?3 WHERE row = ?1", on: connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(entry, at: 2)
        try update.bind(sealed, at: 3)
        try update.run()
        try deleteEntries(row, on: connection)
    }

    static func delete(_ row: UInt32, on connection: borrowing Connection) throws(SQLiteError) {
        try deleteEntries(row, on: connection)
        let delete = try Statement("DELETE FROM engine WHERE row = ?1", on: connection)
        try delete.bind(Int64(row), at: 1)
        try delete.run()
    }

    private static func deleteEntries(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let delete = try Statement(
            "DELETE FROM engine_entry WHERE row BETWEEN ?1 AND ?2", on: connection)
        try delete.bind(row(engine, entry: 0), at: 1)
        try delete.bind(row(engine, entry: Int64(UInt32.max)), at: 2)
        try delete.run()
    }

    /// Nil where there is none.
    static func state(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) -> (entry: Int64, sealed: [UInt8])? {
        let select = try Statement(
            "SELECT entry, sealed FROM engine WHERE row = ?1", on: connection)
        try select.bind(Int64(engine), at: 1)
        return try select.step() ? (select.integer(0), select.bytes(1)) : nil
    }

    /// In order.
    static func entries(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) -> [(row: Int64, sealed: [UInt8])] {
        let select = try Statement(
            "SELECT row, sealed FROM engine_entry WHERE row BETWEEN ?1 AND ?2 ORDER BY row",
            on: connection)
        try select.bind(row(engine, entry: 0), at: 1)
        try select.bind(row(engine, entry: Int64(UInt32.max)), at: 2)
        var entries: [(row: Int64, sealed: [UInt8])] = []
        while try select.step() { entries.append((select.integer(0), select.bytes(1))) }
        return entries
    }

    /// Those of an account, of one owner or of all, of one application or of all.
    static func find(
        _ name: EngineName, owner: String?, on connection: borrowing Connection
    ) throws(SQLiteError) -> [EngineRecord] {
        let select = try Statement(
            """
            SELECT row, owner FROM engine
            WHERE account = ?1 AND (?2 IS NULL OR app = ?2) AND (?3 IS NULL OR owner = ?3)
            """, on: connection)
        try select.bind(name.account, at: 1)
        try select.bind(name.app, at: 2)
        if let owner { try select.bind(text: owner, at: 3) }
        var found: [EngineRecord] = []
        while try select.step() {
            found.append(
                EngineRecord(row: UInt32(clamping: select.integer(0)), owner: select.text(1)))
        }
        return found
    }

    static func devices(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) -> [UInt32] {
        let select = try Statement(
            "SELECT device FROM registration WHERE engine = ?1 ORDER BY device", on: connection)
        try select.bind(Int64(engine), at: 1)
        var devices: [UInt32] = []
        while try select.step() { devices.append(UInt32(clamping: select.integer(0))) }
        return devices
    }
}
