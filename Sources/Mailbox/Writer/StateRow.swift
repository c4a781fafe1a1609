import Delivery
import SQLite
import System

/// The single row that every batch writes: counters and the clock.
struct StateRow: ~Copyable {
    struct Values: Equatable {
        /// The number of committed batches.
        var batch: Int64 = 0
        /// The last position that was given to a row.
        var position: Int64 = 0
        var counters = StoreIndex.Counters()
        /// The last entry of the log that is in the tables.
        var applied: Int64 = 0
        /// The digest of that entry, if it is known.
        var appliedDigest: String?
        var anchor: LastingClock.Anchor
    }

    /// The whole row.
    struct Record {
        var values: Values
        let sealedKeys: [UInt8]
        /// Until then, endpoints that the store does not know may be newer than the backup that it
        /// was restored from.
        var restoredUntil: StoreTime?
    }

    private let update: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        update = try StoreStatement(
            """
            UPDATE state SET batch = ?1, position = ?2, sequence = ?3, subscription = ?4,
            device = ?5, credential = ?6, time = ?7, boot = ?8, since_boot = ?9, wall = ?10, applied = ?11,
            applied_digest = ?12
            """, on: connection)
    }

    func write(_ values: Values) throws(StoreFault) {
        try Self.bind(values, to: update)
        try update.run()
    }

    /// Nil in a new store.
    static func read(
        on connection: borrowing Connection
    ) throws(StoreFault) -> Record? {
        let select = try StoreStatement(
            """
            SELECT batch, position, sequence, subscription, device, credential, time, boot,
            since_boot, wall, sealed_keys, restored_until, applied, applied_digest
            FROM state
            """, on: connection)
        guard try select.step() else { return nil }
        let counters = StoreIndex.Counters(
            sequence: select.integer(2), subscription: UInt32(clamping: select.integer(3)),
            device: UInt32(clamping: select.integer(4)),
            credential: UInt32(clamping: select.integer(5)))
        let reading = ClockReading(
            boot: select.isNull(7) ? nil : select.bytes(7), sinceBoot: select.integer(8),
            wall: select.integer(9))
        let anchor = LastingClock.Anchor(
            time: StoreTime(milliseconds: select.integer(6)), reading: reading)
        let values = Values(
            batch: select.integer(0), position: select.integer(1), counters: counters,
            applied: select.integer(12),
            appliedDigest: select.isNull(13) ? nil : select.text(13), anchor: anchor)
        return Record(
            values: values, sealedKeys: select.bytes(10),
            restoredUntil: select.isNull(11) ? nil : StoreTime(milliseconds: select.integer(11)))
    }

    static func create(
        _ record: Record, on connection: borrowing Connection
    ) throws(StoreFault) {
        let insert = try StoreStatement(
            """
            INSERT INTO state VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?13, ?11, ?12)
            """, on: connection)
        try bind(record.values, to: insert)
        try insert.bind(record.sealedKeys, at: 13)
        try insert.run()
    }

    private static func bind(
        _ values: Values, to statement: borrowing StoreStatement
    ) throws(StoreFault) {
        try statement.bind(values.batch, at: 1)
        try statement.bind(values.position, at: 2)
        try statement.bind(values.counters.sequence, at: 3)
        try statement.bind(Int64(values.counters.subscription), at: 4)
        try statement.bind(Int64(values.counters.device), at: 5)
        try statement.bind(Int64(values.counters.credential), at: 6)
        try statement.bind(values.anchor.time.milliseconds, at: 7)
        try statement.bind(values.anchor.reading.boot, at: 8)
        try statement.bind(values.anchor.reading.sinceBoot, at: 9)
        try statement.bind(values.anchor.reading.wall, at: 10)
        try statement.bind(values.applied, at: 11)
        if let digest = values.appliedDigest {
            try statement.bind(text: digest, at: 12)
        } else {
            try statement.bindNull(at: 12)
        }
    }
}

extension StateRow.Values {
    /// The last entry of the log that is in the tables, if its digest is known.
    var mark: EntryMark? { appliedDigest.map { EntryMark(number: applied, digest: $0) } }

    mutating func follow(_ entry: CommitEntry, at number: Int64) {
        applied = number
        // Without it, the entry is not compared at the next start.
        appliedDigest = (try? EntryMark(entry, at: number))?.digest
    }
}
