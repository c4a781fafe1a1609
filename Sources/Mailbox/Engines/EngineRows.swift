import Base
import Crypto
import Notifications
import SQLite

/// Reads and writes engines within the writer's transaction.
final class EngineRows {
    private static let table: StaticString = "engine"
    private static let recordTable: StaticString = "engine_record"
    private static let sealedColumn: StaticString = "sealed"

    private let insert: StoreStatement
    private let select: StoreStatement
    private let first: StoreStatement
    private let delete: StoreStatement
    private let engine: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        insert = try StoreStatement(
            "INSERT INTO engine_record VALUES (?1, ?2, ?3)", on: connection)
        select = try StoreStatement(
            "SELECT sealed FROM engine_record WHERE position = ?1", on: connection)
        first = try StoreStatement(
            """
            SELECT position, engines, length(sealed) FROM engine_record
            WHERE position > ?1 AND length(engines) % 4 = 0 ORDER BY position LIMIT 1
            """, on: connection)
        delete = try StoreStatement(
            "DELETE FROM engine_record WHERE position = ?1", on: connection)
        engine = try StoreStatement(
            "SELECT engine FROM registration WHERE device = ?1", on: connection)
    }

    static func place(_ engine: UInt32, of owner: String) -> Sealer.Place {
        Sealer.Place(
            table: table, row: Int64(engine), column: sealedColumn, owner: .name(owner))
    }

    /// A record has entries of several owners. It names the engine of each, whose account, without
    /// which they are nothing, opens only under its owner.
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

    /// Nil if there is none.
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
        row.withBytes(1) { engines($0) }
    }

    static func engines(_ bytes: Span<UInt8>) -> [UInt32] {
        stride(from: 0, to: bytes.count & ~3, by: 4).map { bytes.halfWord(at: $0) }
    }

    /// Nil if the device is not a registration.
    func engine(ofDevice device: UInt32) throws(StoreFault) -> UInt32? {
        try engine.bind(Int64(device), at: 1)
        defer { engine.reset() }
        guard try engine.step(), !engine.isNull(0) else { return nil }
        return UInt32(clamping: engine.integer(0))
    }
}

/// Rare queries.
extension EngineRows {
    struct Stored {
        let owner: String
        let record: Int64
        let sealed: [UInt8]
        /// Bytes of the whole account on the disk.
        let size: Int
        /// Whether the account came from a backup, so that its counters have to be raised.
        let isRestored: Bool
    }

    static func insert(
        _ row: UInt32, owner: String, _ name: EngineNameHashes, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "INSERT INTO engine VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, length(?6), 0)", row, owner,
            name.app, name.account, name.user, sealed)
    }

    static func set(
        user: [UInt8], of row: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "UPDATE engine SET user = ?2 WHERE row = ?1", row, user)
    }

    /// Saves the account including the journal up to `position`.
    static func save(
        _ row: UInt32, through position: Int64, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            """
            UPDATE engine SET position = ?2, sealed = ?3, size = length(?3), restored = 0
            WHERE row = ?1
            """, row, position, sealed)
    }

    /// Saves an account that was written in parts before, which have `size` bytes. False if the
    /// engine has ended, or a later account is stored.
    static func save(
        draftOf row: UInt32, through position: Int64, sealed: [UInt8], partsOf size: Int,
        on connection: borrowing Connection
    ) throws(StoreFault) -> Bool {
        let update = try connection.statement(
            """
            UPDATE engine SET position = ?2, sealed = ?3, size = length(?3) + ?4, restored = 0
            WHERE row = ?1 AND position <= ?2 RETURNING row
            """, row, position, sealed, Int64(size))
        return try update.step()
    }

    static func delete(_ row: UInt32, on connection: borrowing Connection) throws(StoreFault) {
        try connection.run("DELETE FROM engine WHERE row = ?1", row)
    }

    static func set(
        record position: Int64, _ sealed: [UInt8], on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "UPDATE engine_record SET sealed = ?2 WHERE position = ?1", position, sealed)
    }

    static func loadRecords(
        on connection: borrowing Connection,
        _ body: (_ position: Int64, _ engines: [UInt32], _ size: Int) -> Void,
        part: (_ position: Int64, _ engine: UInt32) -> Void = { _, _ in }
    ) throws(StoreFault) {
        let select = try StoreStatement(
            "SELECT position, engines, length(sealed) FROM engine_record ORDER BY position",
            on: connection)
        while try select.step() {
            let engines = engines(select)
            if select.withBytes(1, AccountParts.isPart) {
                for engine in engines { part(select.integer(0), engine) }
            } else {
                body(select.integer(0), engines, Int(select.integer(2)))
            }
        }
    }

    /// Nil if there is none.
    static func state(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> Stored? {
        let select = try connection.statement(
            "SELECT owner, position, sealed, restored, size FROM engine WHERE row = ?1", engine)
        guard try select.step() else { return nil }
        return Stored(
            owner: select.text(0), record: select.integer(1), sealed: select.bytes(2),
            size: Int(select.integer(4)), isRestored: select.integer(3) != 0)
    }

    /// The engines of an account, for one owner or all, and for one application or all.
    static func find(
        _ name: EngineNameHashes, owner: String?, on connection: borrowing Connection
    ) throws(StoreFault) -> [EngineRecord] {
        let select = try connection.statement(
            """
            SELECT row, owner FROM engine
            WHERE account = ?1 AND (?2 IS NULL OR app = ?2) AND (?3 IS NULL OR owner = ?3)
            """, name.account, name.app, owner)
        var found: [EngineRecord] = []
        while try select.step() {
            found.append(
                EngineRecord(row: UInt32(clamping: select.integer(0)), owner: select.text(1)))
        }
        return found
    }

    /// A record of the journal; nil if there is none.
    static func sealedRecord(
        _ position: Int64, on connection: borrowing Connection
    ) throws(StoreFault) -> [UInt8]? {
        let select = try connection.statement(
            "SELECT sealed FROM engine_record WHERE position = ?1", position)
        return try select.step() ? select.bytes(0) : nil
    }

    static func devices(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [UInt32] {
        try connection.rows(
            "SELECT device FROM registration WHERE engine = ?1 ORDER BY device", engine)
    }

    /// Devices with something that waits for a client.
    static func waitingDevices(
        _ engine: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [UInt32] {
        try connection.rows(
            """
            SELECT device FROM registration WHERE engine = ?1
            AND (EXISTS (SELECT 1 FROM message WHERE message.device = registration.device)
            OR EXISTS (SELECT 1 FROM fetch_signal WHERE fetch_signal.device = registration.device))
            ORDER BY device
            """, engine)
    }
}

extension EngineRows.Stored {
    /// The engine with its unsealed account and what was done since; nil if that cannot be read.
    /// `record` unseals a record of the journal.
    func engine(
        _ row: UInt32, _ state: [UInt8]?, _ journal: EngineJournal,
        _ templates: TelegramTemplates, record open: (Int64) throws(StoreFault) -> [UInt8]?
    ) throws(StoreFault) -> (engine: Engine, journalSize: Int)? {
        guard let state, let bytes = try AccountParts.joined(state, open),
            let account = try? Account(state: bytes)
        else { return nil }
        var engine = Engine(account)
        var journalSize = 0
        for record in journal.records(of: row) where record > self.record {
            guard let bytes = try open(record) else { return nil }
            let entries = EngineJournal.entries(of: row, in: bytes)
            guard EngineEntries.replay(entries, on: &engine, templates) else { return nil }
            journalSize += entries.count
        }
        return (engine, journalSize)
    }
}
