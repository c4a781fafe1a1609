import Base
import Crypto
import Delivery
import Glibc
import SQLite
import System

/// What happens once at the start: read or create the state, check the keys, fill the index.
struct StoreOpening {
    let source: StoreSource
    let executor: BatchExecutor
    let report: StoreFigures

    init(_ options: SQLiteStore.Options, in folder: String) throws(StoreFault) {
        let path = folder + "/" + WriterDatabase.fileName
        try WriterDatabase.takeBackInterrupted(path)
        let inspection = try SlowInspection(of: path)
        let connection = try inspection.explaining { () throws(StoreFault) in
            try WriterDatabase.open(
                path, options.migrations, pageLimit: options.limits.filePages, beside: inspection,
                onUpgrade: options.onUpgrade)
        }
        let now = options.reading()
        let record = try inspection.explaining { () throws(StoreFault) in
            try Self.record(in: connection, options, now, beside: inspection)
        }
        let keys = StoreKeys(
            master: options.masterKey, former: options.formerKeys,
            own: try OwnKeys(record.sealedKeys, Self.sealer(options)),
            isShared: options.log != nil)
        try Self.checkOrigin(record, keys, options, on: connection)
        let time = StoreTimekeeper(
            clock: LastingClock(after: record.values.anchor, at: now), reading: options.reading)
        let index = try inspection.explaining { () throws(StoreFault) in
            try Self.index(of: connection, record, options, options.setAside(folder))
        }
        try inspection.finish()
        if let until = record.restoredUntil, until > time.now {
            try index.missing.begin(until, endedIn: connection)
        }
        source = StoreSource(
            path: path, keys: keys, index: index, time: time, limits: options.limits,
            templates: options.templates, onExpiredActions: options.onExpiredActions,
            log: options.log)
        var messages = 0
        executor = try BatchExecutor(source, on: connection, state: record.values) {
            address, size in
            index.count(size, for: address)
            messages += 1
        }
        try Self.join(executor)
        report = StoreFigures(
            devices: index.deviceCount, endpoints: index.endpointCount, messages: messages,
            kept: try StoreFigures.kept(executor.transaction.connection))
    }

    /// In milliseconds, as long as nothing comes.
    private static let patience: Int64 = 30_000

    /// Follows the log to its end before the store serves anybody.
    private static func join(_ executor: BatchExecutor) throws(StoreFault) {
        guard let log = executor.log else { return }
        var end = Boot.milliseconds + patience
        while true {
            let before = executor.state.applied
            let isAtEnd = try executor.catchUp()
            if log.isTooFarBehind { throw .behind }
            if executor.state.applied != before {
                end = Boot.milliseconds + patience
            } else if isAtEnd, log.isCurrent {
                break
            } else if Boot.milliseconds > end {
                throw .undecided
            } else {
                usleep(20_000)
            }
        }
        guard let block = log.takeNumbers(), executor.transaction.index.begin(block) else {
            throw .undecided
        }
    }

    private static func record(
        in connection: borrowing Connection, _ options: SQLiteStore.Options, _ now: ClockReading,
        beside inspection: SlowInspection
    ) throws(StoreFault) -> StateRow.Record {
        if let record = try StateRow.read(on: connection) { return record }
        try inspection.finish()
        // With a new key, existing endpoints would be reported as never issued.
        guard try !isUsed(connection) else { throw .damaged("its state is missing") }
        let origin: StoreOrigin
        if let given = options.log?.origin {
            origin = given
        } else {
            origin = try StoreOrigin(wall: now.wall, masterKey: options.masterKey)
        }
        var reading = now
        reading.wall = origin.wall
        let anchor = LastingClock.Anchor(time: StoreTime(milliseconds: 0), reading: reading)
        let record = StateRow.Record(
            values: StateRow.Values(anchor: anchor), sealedKeys: origin.sealedKeys)
        try StateRow.create(record, on: connection)
        return record
    }

    /// A store that follows a log began with what the others began with, and only followed. What
    /// another kind of start would do to it, nobody would notice before it is too late.
    private static func checkOrigin(
        _ record: StateRow.Record, _ keys: StoreKeys, _ options: SQLiteStore.Options,
        on connection: borrowing Connection
    ) throws(StoreFault) {
        guard let origin = options.log?.origin else {
            if record.values.applied != 0 { throw .shared }
            return
        }
        let shared = try OwnKeys(origin.sealedKeys, sealer(options)).endpoint
        let isSame = keys.endpoint.withSpan { own in
            shared.withSpan { own.elementsEqual($0) }
        }
        guard isSame else { throw .foreign }
        if record.values.applied == 0, try isUsed(connection) { throw .foreign }
    }

    static func isUsed(_ connection: borrowing Connection) throws(StoreFault) -> Bool {
        try connection.number(
            "SELECT EXISTS (SELECT 1 FROM owner) OR EXISTS (SELECT 1 FROM subscription)") != 0
    }

    static func sealer(_ options: SQLiteStore.Options) throws(StoreFault) -> Sealer {
        do throws(OpenSSLError) {
            return try Sealer(current: options.masterKey, former: options.formerKeys)
        } catch { throw .crypto(error) }
    }

    private static func index(
        of connection: borrowing Connection, _ record: StateRow.Record,
        _ options: SQLiteStore.Options, _ setAside: SetAsideInputs
    ) throws(StoreFault) -> StoreIndex {
        let index = StoreIndex(
            quota: options.limits.quota, growth: options.limits.growth,
            endpoints: Int(try connection.number("SELECT count(*) FROM subscription")),
            devices: Int(try connection.number("SELECT count(*) FROM device")),
            setAside: setAside)
        index.counters = record.values.counters
        try index.load(from: connection)
        return index
    }
}

/// Fills the index at the start. Messages are counted when they are scanned, and credentials are
/// opened by the writer.
extension StoreIndex {
    func load(from connection: borrowing Connection) throws(StoreFault) {
        try loadDevices(from: connection)
        try loadEndpoints(from: connection)
        for row in try connection.rows(
            "SELECT row FROM callback WHERE state = ?1", CallbackState.gone.rawValue)
        {
            callbacks.set(row, isGone: true)
        }
        try MarkRows<OwnedMark>.load(from: connection) { keep($0) }
        try files.load(from: connection)
    }

    private func loadDevices(from connection: borrowing Connection) throws(StoreFault) {
        let select = try connection.select(DeviceRows.columns, from: "device")
        while try select.step() {
            if let (device, owner) = DeviceRows.device(select) { add(device, owner: owner) }
        }
    }

    private func loadEndpoints(from connection: borrowing Connection) throws(StoreFault) {
        let select = try connection.select(SubscriptionRows.columns, from: "subscription")
        while try select.step() {
            if let (endpoint, digest) = SubscriptionRows.endpointAndDigest(select) {
                add(endpoint, digest)
            }
        }
    }
}

/// How much a store contains.
package struct StoreFigures: Equatable, Sendable {
    package var devices = 0
    package var endpoints = 0
    package var messages = 0
    /// Messages that topics keep, with those that are to come later.
    package var kept = 0

    static func kept(_ connection: borrowing Connection) throws(StoreFault) -> Int {
        Int(
            try connection.number(
                """
                SELECT (SELECT coalesce(sum(count), 0) FROM topic WHERE ended = 0)
                + (SELECT count(*) FROM topic_scheduled)
                """))
    }
}
