import Base
import Crypto
import Delivery
import SQLite
import Topics
import WebPush

/// What the rows that another store changed mean for the memory of this one.
struct FollowedRows {
    /// Columns that each update has to contain, because memory knows the rows by them.
    static let kept = [
        "credential": ["secret", "owner"], "registration": ["engine"], "subscription": ["endpoint"],
    ]

    /// The name of this store, whose own rows say nothing about others.
    let node: String?
    let now: StoreTime
    private(set) var effects = BatchEffects()
    private(set) var engines = FollowedEngines()
    /// Engines about whose clients here the log had a row, which another store wrote, or this one
    /// before it was opened again.
    private(set) var ownClients: [UInt32] = []
    /// New rows of the present entry.
    private var devices: [BatchEffects.Change] = []
    private var endpoints: [BatchEffects.Change] = []
    private var credentials: [ChangedValues] = []
    private var terms: [(secret: Digest, sealed: [UInt8], Sealer.Place)] = []

    init(node: String?, at now: StoreTime) { (self.node, self.now) = (node, now) }

    mutating func read(_ row: borrowing ChangeReader) {
        switch (row.table, row.kind) {
        case ("device", _): read(device: row)
        case ("subscription", _): read(subscription: row)
        case ("credential", _): read(credential: row)
        case ("callback", _):
            guard let state = row.new("state")?.integer else { return }
            effects.changes.append(
                .callback(row.number("row"), isGone: state == CallbackState.gone.rawValue))
            // What waited for this can be sent.
            if state == CallbackState.active.rawValue {
                effects.add(.changed, of: row.number("row"))
            }
        case ("callback_event", _):
            if row.last("callback") != nil { effects.add(.changed, of: row.number("callback")) }
        case ("registration", _):
            effects.changes.append(.registration(device: row.number("device")))
            engines.read(registration: row)
        case ("engine", _):
            engines.read(engine: row)
            if row.kind != .update { effects.changes.append(.engines) }
        case ("engine_record", _): engines.read(record: row)
        case ("engine_client", _): read(clients: row)
        case ("message", .insert):
            guard let kept = MessageRows.Kept(row.values(MessageRows.Kept.columns)) else { return }
            effects.counted.append(kept)
            effects.remote.stored.append((kept.address.device, kept.position))
        case ("message", .delete): read(ended: row)
        case ("topic_name", _):
            guard let name = Self.digest(row.last("name")) else { return }
            let device = row.new("device")?.integer.map { UInt32(clamping: $0) }
            effects.changes.append(.topicName(name, device))
        case ("topic_message", .insert):
            // What is not kept comes beside the changes.
            guard row.new("sealed")?.bytes != nil else { return }
            let key = row.new("place")?.integer ?? 0
            effects.topicNews.append(
                TopicNews(
                    position: TopicRows.position(ofKey: key), owner: TopicRows.owner(ofKey: key),
                    device: row.number("topic"), message: nil, isKept: true))
        case ("question", let kind):
            guard kind == .delete || row.new("ended")?.integer == 1,
                let id = row.last("id")?.integer
            else { return }
            let news = QuestionNews(id: TopicMessageID(number: UInt64(bitPattern: id)))
            effects.questionNews.append(news)
        case ("topic_file", let kind):
            guard kind != .update, let file = KeptFile(row.values(KeptFile.columns)) else { return }
            effects.files.append(kind == .insert ? .copied(file) : .ended(file))
        case ("mark", .insert): effects.marks += Self.marks(row)
        case ("mark", .delete): effects.expiredMarks += Self.marks(row)
        case ("replay", .insert): effects.replays.formUnion(Self.marks(row))
        case ("replay", .delete): effects.expiredReplays += Self.marks(row)
        default: break
        }
    }

    /// All rows of an entry were read. New rows come after ended ones, which may have had the same
    /// names, and endpoints come after their devices. `owner` is asked for the name of an owner.
    mutating func endEntry(
        owner: (Int64) throws(StoreFault) -> String?,
        unseal: ([UInt8], Sealer.Place) -> [UInt8]?
    ) throws(StoreFault) {
        effects.changes += devices
        effects.changes += endpoints
        for values in credentials {
            guard let owner = try owner(CredentialRows.owner(values)),
                let credential = CredentialRows.credential(values, of: owner, unseal: unseal)
            else { continue }
            effects.changes.append(.credential(credential))
        }
        for (secret, sealed, place) in terms {
            guard let terms = unseal(sealed, place).flatMap(TokenRecord.terms) else { continue }
            effects.changes.append(.changedToken(secret, terms))
        }
        (devices, endpoints, credentials, terms) = ([], [], [], [])
    }

    private mutating func read(device row: borrowing ChangeReader) {
        switch row.kind {
        case .insert:
            guard let (device, owner) = DeviceRows.device(row.values(DeviceRows.columns)) else {
                return
            }
            devices.append(.device(device, owner: owner))
        case .update: effects.remote.connected.append(row.number("row"))
        case .delete:
            guard let userAgent = Self.digest(row.old("user_agent")) else { return }
            effects.changes.append(.removedDevice(row.number("row"), userAgent: userAgent))
        }
    }

    private mutating func read(subscription row: borrowing ChangeReader) {
        switch row.kind {
        case .insert:
            let values = row.values(SubscriptionRows.columns)
            guard let (endpoint, digest) = SubscriptionRows.endpointAndDigest(values) else {
                return
            }
            endpoints.append(.endpoint(endpoint, digest))
        case .update:
            guard let digest = Self.digest(row.old("endpoint")),
                let number = row.new("sender")?.integer,
                case .key(let hash) = SenderRule(
                    number: number, keyHash: row.new("key_hash")?.bytes ?? [])
            else { return }
            endpoints.append(.boundEndpoint(digest, hash))
        case .delete:
            guard let digest = Self.digest(row.old("endpoint")) else { return }
            effects.changes.append(.endedEndpoint(digest))
        }
    }

    private mutating func read(credential row: borrowing ChangeReader) {
        guard row.kind != .insert else {
            return credentials.append(row.values(CredentialRows.columns))
        }
        guard let secret = Self.digest(row.old("secret")) else { return }
        if row.kind == .delete {
            effects.changes.append(.removedCredential(secret))
        } else if row.new("unconfirmed")?.integer == 0 {
            effects.changes.append(.confirmedCredential(secret))
        } else {
            if let name = row.new("name")?.text {
                effects.changes.append(.renamedCredential(secret, name))
            }
            if let sealed = row.new("sealed_terms")?.bytes, let owner = row.old("owner")?.integer {
                terms.append((secret, sealed, CredentialRows.place(row.number("row"), of: owner)))
            }
        }
    }

    private mutating func read(clients row: borrowing ChangeReader) {
        guard let node = row.last("node")?.text else { return }
        let engine = row.number("engine")
        guard node != self.node else { return ownClients.append(engine) }
        let fetchers = row.new("fetchers")?.integer ?? 0
        let count = row.kind == .delete ? nil : RemoteClients.Count(fetchers: Int(fetchers))
        effects.changes.append(.clients(engine, node: node, count))
    }

    private mutating func read(ended row: borrowing ChangeReader) {
        guard let ended = MessageRows.Ended(row.values(MessageRows.Ended.columns)) else { return }
        effects.ended.append(ended)
        let expires = row.old("expires")?.integer ?? 0
        if expires > now.milliseconds { effects.remote.ended.append(ended.reference) }
    }

    private static func marks<Mark: StoredMark>(_ row: borrowing ChangeReader) -> [Mark] {
        var marks: [Mark] = []
        MarkRows<Mark>.forEach(in: row.values(["marks"])) { marks.append($0) }
        return marks
    }

    private static func digest(_ value: ChangedValue?) -> Digest? {
        value?.bytes.flatMap { Digest($0.span) }
    }
}

extension ChangeReader {
    /// The number of a row in this column; zero if that is not known.
    func number(_ column: String) -> UInt32 { UInt32(clamping: last(column)?.integer ?? 0) }
}

/// What the rows of engines that another store changed mean for the memory of this one.
struct FollowedEngines {
    /// Engines that are not as they are in memory.
    private(set) var changed: Set<UInt32> = []
    /// Engines whose account another store has written, or changed otherwise.
    private(set) var rewritten: [UInt32] = []
    /// Engines whose whole account was written, with the last record that it contains, and engines
    /// that have ended.
    private(set) var saved: [(engine: UInt32, through: Int64)] = []
    private(set) var newRecords: [(record: Int64, engines: [UInt32], size: Int)] = []
    private(set) var lostRecords: [(record: Int64, engines: [UInt32], size: Int)] = []
    private(set) var shortenedRecords: [(record: Int64, size: Int)] = []
    /// Parts of accounts, in the order in which they were written and removed.
    private(set) var parts: [(part: Int64, engine: UInt32, isGone: Bool)] = []

    /// `row` belongs to the table of engines.
    mutating func read(engine row: borrowing ChangeReader) {
        let engine = row.number("row")
        changed.insert(engine)
        rewritten.append(engine)
        let position = row.kind == .delete ? Int64.max : row.new("position")?.integer
        if let position { saved.append((engine, position)) }
    }

    /// `row` belongs to the table of journal records.
    mutating func read(record row: borrowing ChangeReader) {
        let record = row.last("position")?.integer ?? 0
        let (former, now) = (row.old("sealed"), row.new("sealed"))
        let size = (former: former?.bytes?.count ?? 0, now: now?.bytes?.count ?? 0)
        let bytes = row.last("engines")?.bytes ?? []
        let engines = EngineRows.engines(bytes.span)
        guard !AccountParts.isPart(bytes.span) else {
            let isGone = row.kind == .delete
            if row.kind != .update { parts += engines.map { (record, $0, isGone) } }
            return
        }
        switch row.kind {
        case .insert:
            changed.formUnion(engines)
            newRecords.append((record, engines, size.now))
        case .delete: lostRecords.append((record, engines, size.former))
        case .update: shortenedRecords.append((record, size.former - size.now))
        }
    }

    /// `row` belongs to the table of registrations: what an engine knows of all of them has changed.
    mutating func read(registration row: borrowing ChangeReader) {
        for value in [row.old("engine"), row.new("engine")] {
            if let engine = value?.integer { changed.insert(UInt32(clamping: engine)) }
        }
    }
}

extension StoredEngines {
    /// Another store has changed these engines.
    func follow(_ changes: FollowedEngines) {
        for row in changes.changed { loaded.remove(row) }
        for (part, engine, isGone) in changes.parts {
            if isGone {
                drafts.removed(part, of: engine)
            } else {
                drafts.wrote(part, of: engine)
            }
        }
        for row in changes.rewritten { drafts.cancel(row) }
        for (row, position) in changes.saved { journal.forget(row, through: position) }
        for (record, engines, size) in changes.lostRecords {
            journal.lost(record, of: engines, size: size)
        }
        for (record, size) in changes.shortenedRecords { journal.removed(size: size, from: record) }
        for (record, engines, size) in changes.newRecords {
            journal.wrote(record, of: engines, size: size)
        }
    }
}
