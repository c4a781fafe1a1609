import Base
import Crypto
import SQLite

/// Reads and writes engines within the writer's transaction.
struct EngineRows: ~Copyable {
    private static let table: StaticString = "engine"
    private static let recordTable: StaticString = "engine_record"
    private static let sealedColumn: StaticString = "sealed"

    private let insert: StoreStatement
    private let select: StoreStatement
    private let first: StoreStatement
    private let delete: StoreStatement
    private let engine: StoreStatement
    private let subscription: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        let insert = try StoreStatement(
            "INSERT INTO engine_record VALUES (?1, ?2, ?3)", on: connection)
        let select = try StoreStatement(
            "SELECT sealed FROM engine_record WHERE position = ?1", on: connection)
        let first = try StoreStatement(
            """
            SELECT position, engines, length(sealed) FROM engine_record
            WHERE position > ?1 ORDER BY position LIMIT 1
            """, on: connection)
        let delete = try StoreStatement(
            "DELETE FROM engine_record WHERE position = ?1", on: connection)
        let engine = try StoreStatement(
            "SELECT engine FROM registration WHERE device = ?1", on: connection)
        let subscription = try StoreStatement(
            "SELECT 1 FROM subscription WHERE row = ?1", on: connection)
        self.insert = insert
        self.select = select
        self.first = first
        self.delete = delete
        self.subscription = subscription
        self.engine = engine
    }

    static func place(_ engine: UInt32) -> Sealer.Place {
        Sealer.Place(table: table, row: Int64(engine), column: sealedColumn)
    }

    static func recordPlace(_ position: Int64) -> Sealer.Place {
        Sealer.Place(table: recordTable, row: position, column: sealedColumn)
    }

    func append(
        _ sealed: [UInt8], of engines: [UInt32], at position: Int64
    ) throws(StoreFault) {
        var numbers: [UInt8] = []
        for engine in engines { numbers.append(bigEndian: engine) }
        try insert.bind(position, at: 1)
        try insert.bind(numbers.span, at: 2)
        try insert.bind(sealed.span, at: 3)
        try insert.run()
    }

    /// Nil where there is none.
    func record(_ position: Int64) throws(StoreFault) -> [UInt8]? {
        try select.bind(position, at: 1)
        defer { select.reset() }
        return try select.step() ? select.bytes(0) : nil
    }

    func oldest(
        after record: Int64
    ) throws(StoreFault) -> (record: Int64, engines: [UInt32], size: Int)? {
        defer { first.reset() }
        try first.bind(record, at: 1)
        guard try first.step() else { return nil }
        return (first.integer(0), Self.engines(first), Int(first.integer(2)))
    }

    func remove(_ record: Int64) throws(StoreFault) {
        try delete.bind(record, at: 1)
        try delete.run()
    }

    private static func engines(_ row: borrowing StoreStatement) -> [UInt32] {
        row.withBytes(1) { bytes in
            stride(from: 0, to: bytes.count & ~3, by: 4).map { bytes.halfWord(at: $0) }
        }
    }

    /// Whether it has not ended while a push was on its way.
    func has(subscription row: UInt32) throws(StoreFault) -> Bool {
        try subscription.bind(Int64(row), at: 1)
        defer { subscription.reset() }
        return try subscription.step()
    }

    /// Nil where the device is no registration.
    func engine(ofDevice device: UInt32) throws(StoreFault) -> UInt32? {
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
    ) throws(StoreFault) {
        let insert = try StoreStatement(
            "INSERT INTO engine VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, length(?6))", on: connection)
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
    ) throws(StoreFault) {
        let update = try StoreStatement(
            "UPDATE engine SET user = ?2 WHERE row = ?1", on: connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(user, at: 2)
        try update.run()
    }

    /// With what the journal has up to `position`.
    static func save(
        _ row: UInt32, through position: Int64, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) {
        let update = try StoreStatement(
            """
            UPDATE engine SET position = ?2, sealed = ?3, size = length(?3) WHERE row = ?1
            """, on: connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(position, at: 2)
        try update.bind(sealed, at: 3)
        try update.run()
    }

    static func delete(_ row: UInt32, on connection: borrowing Connection) throws(StoreFault) {
        let delete = try StoreStatement("DELETE FROM engine WHERE row = ?1", on: connection)
        try delete.bind(Int64(row), at: 1)
        try delete.run()
    }

    static func set(
        record position: Int64, _ sealed: [UInt8], on connection: borrowing Connection
    ) throws(StoreFault) {
        let update = try StoreStatement(
            "UPDATE engine_record SET sealed = ?2 WHERE position = ?1", on: connection)
        try update.bind(position, at: 1)
        try update.bind(sealed, at: 2)
        try update.run()
    }

    static func loadRecords(
        on connection: borrowing Connection,
        _ body: (_ position: Int64, _ engines: [UInt32], _ size: Int) -> Void
    ) throws(StoreFault) {
        let select = try StoreStatement(
            "SELECT position, engines, length(sealed) FROM engine_record ORDER BY position",
            on: connection)
        while try select.step() {
            body(select.integer(0), engines(select), Int(select.integer(2)))
        }
    }

    /// Nil where there is none.
    static func state(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> (owner: String, record: Int64, sealed: [UInt8])? {
        let select = try StoreStatement(
            "SELECT owner, position, sealed FROM engine WHERE row = ?1", on: connection)
        try select.bind(Int64(engine), at: 1)
        return try select.step()
            ? (select.text(0), select.integer(1), select.bytes(2)) : nil
    }

    /// Those of an account, of one owner or of all, of one application or of all.
    static func find(
        _ name: EngineName, owner: String?, on connection: borrowing Connection
    ) throws(StoreFault) -> [EngineRecord] {
        let select = try StoreStatement(
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
    ) throws(StoreFault) -> [UInt32] {
        let select = try StoreStatement(
            "SELECT device FROM registration WHERE engine = ?1 ORDER BY device", on: connection)
        try select.bind(Int64(engine), at: 1)
        return try Self.devices(select)
    }

    /// Those for which something waits until somebody is there.
    static func waitingDevices(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [UInt32] {
        let select = try StoreStatement(
            """
            SELECT device FROM registration WHERE engine = ?1
            AND (EXISTS (SELECT 1 FROM message WHERE message.device = registration.device)
            OR EXISTS (SELECT 1 FROM fetch_signal WHERE fetch_signal.device = registration.device))
            ORDER BY device
            """, on: connection)
        try select.bind(Int64(engine), at: 1)
        return try Self.devices(select)
    }

    private static func devices(
        _ select: borrowing StoreStatement
    ) throws(StoreFault) -> [UInt32] {
        var devices: [UInt32] = []
        while try select.step() { devices.append(UInt32(clamping: select.integer(0))) }
        return devices
    }
}
