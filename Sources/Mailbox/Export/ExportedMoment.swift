import Base
import Crypto
import Delivery
import Dialects
import EngineHost
import SQLite
import System

/// One moment of the store, as an export reads it. Later changes are not in it.
final class ExportedMoment {
    /// What an export does not contain, for its reader.
    private static let leftOut = [
        "endpoint addresses, hooks and locations of messages: whoever has one can use it",
        "the secrets of devices and user agents, private keys, the secrets of registrations and"
            + " callbacks, and tokens that an application gave to its server",
        "answers that are kept for a day for repeated requests, because they have keys",
        "hashes by which repeated pushes and ended endpoints are recognised: they name nobody",
    ]

    /// What the store has besides its file.
    struct Surroundings {
        let path: String
        let setAside: SetAside
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
        case .devices: try devices(from: &cursor, limit)
        case .userAgents: try userAgents(from: &cursor, limit)
        case .registrations: try registrations(from: &cursor, limit)
        case .endpoints: try ofEachDevice(from: &cursor, limit, endpoints)
        case .messages: try ofEachDevice(from: &cursor, limit, messages)
        case .signals: try ofEachDevice(from: &cursor, limit, signals)
        case .callbacks: try callbacks(from: &cursor, limit)
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
