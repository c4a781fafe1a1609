import Base
import Delivery
import SQLite
import WebPush

/// What the rows that another store changed mean for the memory of this one.
struct FollowedRows {
    /// Columns by their place, as the migrations leave the tables.
    fileprivate enum Column {
        static let first: Int32 = 0
        static let deviceUserAgent: Int32 = 1
        static let subscriptionEndpoint: Int32 = 4
        static let credentialSecret: Int32 = 1
        static let marks: Int32 = 2
        static let eventCallback: Int32 = 1
        static let client = (engine: Int32(0), node: Int32(1), fetchers: Int32(2))
        static let message = (
            sequence: Int32(1), device: Int32(2), subscription: Int32(3), id: Int32(4),
            location: Int32(5), expires: Int32(7), size: Int32(8)
        )
    }

    /// The name of this store, whose own rows say nothing about others.
    let node: String?
    private(set) var effects = BatchEffects()
    /// Rows to look up once the changes are made.
    private(set) var devices: [Int64] = []
    private(set) var newSubscriptions: [Int64] = []
    private(set) var boundSubscriptions: [Int64] = []
    private(set) var credentials: [Int64] = []
    private(set) var callbacks: [Int64] = []
    private(set) var messages: [FollowedMessage] = []
    /// When each message that ended would have expired.
    private var expiries: [Int64] = []
    private(set) var registrations: [Int64] = []
    private(set) var engines = FollowedEngines()
    /// Engines whose clients here somebody else wrote down, or this store before it was opened.
    private(set) var ownClients: [UInt32] = []

    init(node: String?) { self.node = node }

    /// Adds the rows of the next entry.
    mutating func read(_ changes: [UInt8]) throws(StoreFault) {
        do throws(SQLiteError) {
            let reader = try ChangeReader(changes)
            while let (table, kind) = try reader.next() { read(table, kind, reader) }
        } catch { throw StoreFault(error) }
    }

    /// The messages that ended before they expired.
    func early(at now: StoreTime) -> [MessageReference] {
        zip(effects.ended, expiries).filter { $0.1 > now.milliseconds }.map(\.0.reference)
    }

    mutating func add(_ change: BatchEffects.Change) { effects.changes.append(change) }
    mutating func add(changedEngine row: UInt32) { engines.add(changed: row) }

    private mutating func read(
        _ table: String, _ kind: ChangeReader.Kind, _ row: borrowing ChangeReader
    ) {
        let key = (row.new(Column.first) ?? row.old(Column.first))?.integer ?? 0
        switch (table, kind) {
        case ("device", .insert): devices.append(key)
        case ("device", .update): effects.elsewhere.connected.append(UInt32(clamping: key))
        case ("device", .delete):
            guard let userAgent = Self.digest(row.old(Column.deviceUserAgent)) else { return }
            effects.changes.append(
                .removedDevice(UInt32(clamping: key), userAgent: userAgent))
        case ("subscription", .insert): newSubscriptions.append(key)
        case ("subscription", .update): boundSubscriptions.append(key)
        case ("subscription", .delete):
            guard let digest = Self.digest(row.old(Column.subscriptionEndpoint)) else { return }
            effects.changes.append(.endedEndpoint(digest))
        case ("credential", .insert), ("credential", .update): credentials.append(key)
        case ("credential", .delete):
            guard let secret = Self.digest(row.old(Column.credentialSecret)) else { return }
            effects.changes.append(.removedCredential(secret))
        case ("callback", .insert), ("callback", .update): callbacks.append(key)
        case ("callback_event", _):
            let callback = row.new(Column.eventCallback) ?? row.old(Column.eventCallback)
            if let callback = callback?.integer {
                effects.add(.changed, of: UInt32(clamping: callback))
            }
        case ("registration", _):
            effects.changes.append(.registration(device: UInt32(clamping: key)))
            engines.read(registration: row)
            if kind == .update { registrations.append(key) }
        case ("engine", _):
            engines.read(engine: UInt32(clamping: key), row, isGone: kind == .delete)
            if kind != .update { effects.changes.append(.engines) }
        case ("engine_record", _): engines.read(record: key, kind, row)
        case ("engine_client", _): read(clients: row, kind)
        case ("message", .insert):
            if let message = FollowedMessage(row, at: key) { messages.append(message) }
        case ("message", .delete):
            guard let ended = Self.ended(row) else { return }
            effects.ended.append(ended)
            expiries.append(row.old(Column.message.expires)?.integer ?? 0)
        case ("mark", .insert), ("replay", .insert): keep(row.new(Column.marks), of: table)
        case ("mark", .delete), ("replay", .delete): drop(row.old(Column.marks), of: table)
        default: break
        }
    }

    private mutating func read(
        clients row: borrowing ChangeReader, _ kind: ChangeReader.Kind
    ) {
        let column = Column.client
        guard let engine = (row.new(column.engine) ?? row.old(column.engine))?.integer,
            let node = (row.new(column.node) ?? row.old(column.node))?.text
        else { return }
        guard node != self.node else { return ownClients.append(UInt32(clamping: engine)) }
        let fetchers = row.new(column.fetchers)?.integer ?? 0
        let count = kind == .delete ? nil : RemoteClients.Count(fetchers: Int(fetchers))
        effects.changes.append(.clients(UInt32(clamping: engine), node: node, count))
    }

    private mutating func keep(_ value: ChangedValue?, of table: String) {
        guard let bytes = value?.bytes else { return }
        if table == OwnedMark.table {
            effects.marks += Self.marks(bytes)
        } else {
            effects.replays.formUnion(Self.marks(bytes))
        }
    }

    private mutating func drop(_ value: ChangedValue?, of table: String) {
        guard let bytes = value?.bytes else { return }
        if table == OwnedMark.table {
            effects.expiredMarks += Self.marks(bytes)
        } else {
            effects.expiredReplays += Self.marks(bytes)
        }
    }

    private static func marks<Mark: StoredMark>(_ bytes: [UInt8]) -> [Mark] {
        stride(from: 0, through: bytes.count - Mark.length, by: Mark.length).map {
            Mark(bytes.span, at: $0)
        }
    }

    private static func digest(_ value: ChangedValue?) -> Digest? {
        value?.bytes.flatMap { Digest($0.span) }
    }

    private static func ended(_ row: borrowing ChangeReader) -> MessageRows.Ended? {
        let column = Column.message
        guard let id = row.old(column.id)?.bytes.flatMap({ MessageID($0.span) }),
            let sequence = row.old(column.sequence)?.integer,
            let message = FollowedMessage(at: 0, { row.old($0) })
        else { return nil }
        return MessageRows.Ended(
            reference: MessageReference(id: id, address: message.address, sequence: sequence),
            location: message.location, size: message.size)
    }
}

/// A message that another store has stored.
struct FollowedMessage {
    let position: Int64
    /// The first word of it.
    let location: UInt64
    let address: Address
    let size: Int

    fileprivate init?(_ row: borrowing ChangeReader, at position: Int64) {
        self.init(at: position) { row.new($0) }
    }

    fileprivate init?(at position: Int64, _ value: (Int32) -> ChangedValue?) {
        let column = FollowedRows.Column.message
        guard let location = value(column.location)?.bytes.flatMap({ LocationID($0.span) }),
            let device = value(column.device)?.integer,
            let subscription = value(column.subscription)?.integer,
            let size = value(column.size)?.integer
        else { return nil }
        self.position = position
        self.location = location.high
        address = Address(
            subscription: UInt32(clamping: subscription), device: UInt32(clamping: device))
        self.size = Int(size)
    }
}
