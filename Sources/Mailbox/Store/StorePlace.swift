package import Delivery
import SQLite
package import System

/// Where a store belongs: to one machine, or to a log that several stores follow.
///
/// The store must not be open meanwhile.
package struct StorePlace: Sendable {
    /// The last entry of the log that the store has; zero if it belongs to one machine.
    package let applied: Int64
    /// The last entry with its digest, if that is known.
    package let mark: EntryMark?
    package let sealedKeys: [UInt8]
    /// The last number that was given to a subscription, a device or a credential.
    package let lastRow: UInt32
    private let anchor: LastingClock.Anchor
    /// Whether the store has more than a new one.
    package let isUsed: Bool

    /// Nil if the folder has no store.
    package init?(in folder: String) throws(StoreFault) {
        guard SQLiteStore.isThere(in: folder) else { return nil }
        let connection = try Self.open(folder + "/" + WriterDatabase.fileName, .readOnly)
        // A file that was only just made, or one that this program cannot open as it is.
        guard try connection.number("PRAGMA user_version") == Int64(Schema.migrations.last) else {
            return nil
        }
        guard let record = try StateRow.read(on: connection) else { return nil }
        try self.init(record, connection)
    }

    /// The folder has a store.
    package init(of folder: String) throws(StoreFault) {
        guard let place = try Self(in: folder) else { throw .damaged("its state is missing") }
        self = place
    }

    private init(
        _ record: StateRow.Record, _ connection: borrowing Connection
    ) throws(StoreFault) {
        applied = record.values.applied
        mark = record.values.mark
        sealedKeys = record.sealedKeys
        anchor = record.values.anchor
        lastRow = try Self.lastRow(record.values.counters, connection)
        isUsed = try StoreOpening.isUsed(connection)
    }

    /// Fails if the keys do not open the store.
    package func check(_ options: SQLiteStore.Options) throws(StoreFault) {
        _ = try OwnKeys(sealedKeys, StoreOpening.sealer(options))
    }

    private static func open(
        _ path: String, _ access: Connection.Access
    ) throws(StoreFault) -> Connection {
        do throws(SQLiteError) { return try Connection(path, access) } catch {
            throw StoreFault(error)
        }
    }

    static func lastRow(
        _ counters: StoreIndex.Counters, _ connection: borrowing Connection
    ) throws(StoreFault) -> UInt32 {
        // The counters are those of one node; rows of others are in the tables.
        let stored = try connection.number(
            """
            SELECT max((SELECT coalesce(max(row), 0) FROM subscription),
            (SELECT coalesce(max(row), 0) FROM device),
            (SELECT coalesce(max(row), 0) FROM forward),
            (SELECT coalesce(max(row), 0) FROM credential))
            """)
        let given = max(counters.subscription, counters.device, counters.credential)
        return max(given, UInt32(clamping: stored))
    }

    /// The store's time.
    package func time(at reading: ClockReading) -> StoreTime {
        LastingClock(after: anchor, at: reading).time(at: reading)
    }

    /// How many blocks of row numbers were begun.
    package var blocks: UInt32 { (lastRow + NumberBlock.length - 1) / NumberBlock.length }
}

/// Moves, each as a whole or not at all. Repeating one changes nothing more.
extension StorePlace {
    /// Numbers up to this far above those in the file may have been given for what is not stored.
    private static let jump: Int64 = 1 << 20

    /// Makes the store in this file follow a log. The store has everything up to the entry
    /// `number`. `reading` is by the clock of the cluster, and the store's time is then `time`.
    /// `isCopy`: the file was never opened as a store.
    package static func join(
        fileAt path: String, isCopy: Bool = false, after number: Int64, _ time: StoreTime,
        at reading: ClockReading
    ) throws(StoreFault) {
        try change(path, isCopy ? .draft : .readWrite) { record, _ in
            (record.applied, record.appliedDigest) = (number, nil)
            record.anchor = LastingClock.Anchor(time: time, reading: reading)
        }
    }

    /// Makes the store in this file belong to one machine. No store has given row numbers of this
    /// block or of later ones.
    package static func leave(
        fileAt path: String, before block: NumberBlock, _ time: StoreTime,
        at reading: ClockReading
    ) throws(StoreFault) {
        try change(path, .readWrite) { (record, connection) throws(StoreFault) in
            let first = block.numbers?.lowerBound ?? NumberBlock.last
            let last = max(try lastRow(record.counters, connection), first - 1)
            record.counters.subscription = last
            record.counters.device = last
            record.counters.credential = last
            (record.applied, record.appliedDigest) = (0, nil)
            record.anchor = LastingClock.Anchor(time: time, reading: reading)
            try connection.run("DELETE FROM engine_client")
        }
    }

    private static func change(
        _ path: String, _ access: Connection.Access,
        _ body: (inout StateRow.Values, borrowing Connection) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let connection = try open(path, access)
        guard var values = try StateRow.read(on: connection)?.values else {
            throw .damaged("its state is missing")
        }
        try connection.run("BEGIN IMMEDIATE")
        try body(&values, connection)
        values.batch += 1
        values.counters.sequence += jump
        try StateRow(on: connection).write(values)
        try connection.run("COMMIT")
    }
}
