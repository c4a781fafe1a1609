import Base
import Crypto
import Delivery
import Notifications
import SQLite
import System

/// One moment of the store, as an export reads it. Later changes are not in it.
final class ExportedMoment {
    /// What an export does not contain, for its reader.
    private static let leftOut = [
        "endpoint addresses, hooks and locations of messages: whoever has one can use it",
        "the secrets of devices and user agents, private keys, the secrets of registrations and"
            + " callbacks, and tokens that an application gave to its server",
        "what is in files that came to topics, which are read under their addresses",
        "answers that are kept for a day for repeated requests, because they have keys",
        "hashes by which repeated pushes and ended endpoints are recognised: they name nobody",
    ]

    /// What the store has besides its file.
    struct Surroundings {
        let path: String
        let setAside: SetAsideInputs
        let templates: TelegramTemplates
        let limits: StoreLimits
        let now: StoreTime
        /// Seconds since 1970.
        let wall: Int64
    }

    let connection: Connection
    let store: Surroundings
    let owner: UInt32
    let ownerName: String
    /// Nil for everything that the owner has.
    let credential: UInt32?
    // Exclusivity is unchecked: only the reader's thread uses it, one access at a time.
    @exclusivity(unchecked) var sealer: Sealer
    /// Which records have something of which engine; nil until an engine is read.
    @exclusivity(unchecked) var journal: EngineJournal?
    /// Nil until a topic is read.
    @exclusivity(unchecked) var topicOwner: TopicOwner.Found?
    let topicSealers = TopicSealers()

    /// `sealer` has the keys of this moment. Throws `.damaged` if nobody has that number.
    init(
        of store: Surroundings, _ subject: ExportSubject, _ sealer: consuming Sealer
    ) throws(StoreFault) {
        do throws(SQLiteError) {
            connection = try Connection(store.path, .readOnly)
            try connection.beginReading()
        } catch { throw StoreFault(error) }
        let select: StoreStatement
        switch subject {
        case .owner(let row):
            credential = nil
            select = try connection.statement("SELECT row, name FROM owner WHERE row = ?1", row)
        case .device(let row):
            credential = row
            select = try connection.statement(
                """
                SELECT owner.row, owner.name FROM credential JOIN owner
                ON owner.row = credential.owner WHERE credential.row = ?1
                """, row)
        }
        guard try select.step() else { throw .damaged("whom the export is about has ended") }
        owner = UInt32(clamping: select.integer(0))
        ownerName = select.text(1)
        self.sealer = sealer
        self.store = store
    }

    /// The members of the document that come before its lists.
    var head: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", "bellwire export")
            writer.member("version", 1)
            writer.member("made", Int(store.wall))
            writer.member("owner", ownerName)
            writer.member("scope", credential == nil ? "owner" : "device")
            writer.name("left_out")
            writer.array { writer in for text in Self.leftOut { writer.string(text) } }
        }
        return writer.bytes
    }

    /// Reads on in a list.
    func step(
        _ list: ExportList, from cursor: inout ExportCursor, limit: Int
    ) throws(StoreFault) -> ExportStep {
        switch list {
        case .devices: try devices(areTokens: false, from: &cursor, limit)
        case .tokens: try devices(areTokens: true, from: &cursor, limit)
        case .userAgents: try userAgents(from: &cursor, limit)
        case .registrations: try registrations(from: &cursor, limit)
        case .endpoints: try ofEachDevice(from: &cursor, limit, endpoints)
        case .messages: try ofEachDevice(from: &cursor, limit, messages)
        case .signals: try ofEachDevice(from: &cursor, limit, signals)
        case .history: try ofEachDevice(from: &cursor, limit, history)
        case .scheduled: try ofEachDevice(from: &cursor, limit, scheduled)
        case .files: try ofEachDevice(from: &cursor, limit, files)
        case .callbacks: try callbacks(from: &cursor, limit)
        case .forwards: try forwards(from: &cursor, limit)
        case .events: try events(from: &cursor, limit)
        case .engines: try engines(from: &cursor, limit)
        }
    }

    /// The store's time as seconds since 1970.
    func seconds(_ time: StoreTime) -> Int {
        Int(store.wall + (time.milliseconds - store.now.milliseconds) / 1_000)
    }

    /// An item that cannot be read, perhaps because it is damaged.
    static func unreadable(_ name: StaticString, _ row: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member(name, Int(row))
            writer.member("unreadable", true)
        }
        return writer.bytes
    }
}

/// What belongs to the rows for which messages wait: those of user agents and of registrations.
extension ExportedMoment {
    /// Such a row, as other items name it.
    struct Holder {
        let row: UInt32
        let registration: RegistrationID?

        func write(to writer: inout JSONWriter) {
            if let registration {
                writer.member("registration", registration.text)
            } else {
                writer.member("user_agent", Int(row))
            }
        }
    }

    /// Calls `body` for one holder after the other. `body` moves the cursor, and finds nothing at
    /// the end of a holder.
    func ofEachDevice(
        from cursor: inout ExportCursor, _ limit: Int,
        _ body: (Holder, inout ExportCursor, Int) throws(StoreFault) -> [[UInt8]]
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        while step.visited < limit {
            if cursor.isEntered {
                let holder = try holder(UInt32(clamping: cursor.holder))
                let items = try body(holder, &cursor, limit - step.visited)
                step.items += items
                step.visited += items.count
                if !items.isEmpty { break }
            }
            step.visited += 1
            guard let device = try nextDevice(after: cursor.holder) else {
                step.isLast = true
                break
            }
            cursor.move(to: device, isEntered: true)
        }
        return step
    }

    private func nextDevice(after row: Int64) throws(StoreFault) -> Int64? {
        let select = try connection.statement(
            """
            SELECT row FROM device WHERE owner = ?1 AND (?2 IS NULL OR credential = ?2)
            AND row > ?3 ORDER BY row LIMIT 1
            """, owner, credential, row)
        return try select.step() ? select.integer(0) : nil
    }

    func holder(_ row: UInt32) throws(StoreFault) -> Holder {
        let select = try connection.statement(
            "SELECT id FROM registration WHERE device = ?1", row)
        let id = try select.step() ? select.withBytes(0) { RegistrationID($0) } : nil
        return Holder(row: row, registration: id)
    }
}

/// What engines keep: notifications, chats, and what applications have not taken yet.
extension ExportedMoment {
    /// There is no index by owner, so a step looks at a few rows and may find none.
    func engines(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        let select = try connection.statement(
            """
            SELECT row, owner = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM registration
            JOIN device ON device.row = registration.device
            WHERE registration.engine = engine.row AND device.credential = ?2))
            FROM engine WHERE row > ?3 ORDER BY row LIMIT ?4
            """, ownerName, credential, cursor.row, Int64(limit))
        while try select.step() {
            step.visited += 1
            cursor.row = select.integer(0)
            guard select.integer(1) != 0 else { continue }
            // An account can be large, so each one ends the step.
            step.items.append(try item(UInt32(clamping: cursor.row)))
            return step
        }
        step.isLast = step.visited < limit
        return step
    }

    private func item(_ row: UInt32) throws(StoreFault) -> [UInt8] {
        guard let engine = try engine(row) else { return Self.unreadable("id", Int64(row)) }
        var writer = JSONWriter(capacity: 4_096)
        writer.object { writer in
            writer.member("id", Int(row))
            engine.writeHoldings(at: Double(store.wall), to: &writer)
        }
        return writer.bytes
    }

    /// Nil if it cannot be read, or crashed the server before.
    private func engine(_ row: UInt32) throws(StoreFault) -> Engine? {
        guard !store.setAside.contains(.account, row),
            let stored = try EngineRows.state(row, on: connection)
        else { return nil }
        let journal = try loadedJournal()
        return try CrashMarker.mark(.account, row) { () throws(StoreFault) in
            let account = open(stored.sealed, at: EngineRows.place(row, of: stored.owner))
            return try stored.engine(row, account, journal, store.templates) {
                record throws(StoreFault) in
                try EngineRows.sealedRecord(record, on: connection).flatMap {
                    open($0, at: EngineRows.recordPlace(record))
                }
            }?.engine
        }
    }

    private func loadedJournal() throws(StoreFault) -> EngineJournal {
        if let journal { return journal }
        var loaded = EngineJournal()
        try EngineRows.loadRecords(on: connection) { loaded.wrote($0, of: $1, size: $2) }
        journal = loaded
        return loaded
    }

    private func open(_ sealed: [UInt8], at place: Sealer.Place) -> [UInt8]? {
        // Nobody can use the reason why it does not open.
        (try? sealer.open(sealed.span, at: place)).map { $0.withSpan { $0.array($0.indices) } }
    }
}
