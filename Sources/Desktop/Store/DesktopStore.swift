import Base
package import Crypto
package import SQLite
package import System
import WebPush

/// The desktop's store: registrations, our id at each receiver, and messages that no receiver
/// keeps. Only one thread uses it. Calls return after everything is on the disk.
package final class DesktopStore {
    static let fileName = "desktop.db"

    let connection: Connection
    private var sealer: Sealer
    let tagKey: Secret
    private let clock: LastingClock
    /// Rows are numbered here, because a sealed value is bound to its row.
    var lastClient: Int64
    var clientRows: [ClientKey: Int64] = [:]

    /// Why the file cannot be used.
    package struct Refusal: Error, CustomStringConvertible {
        let path: String
        let finding: String

        package var description: String { "\(path) \(finding)" }
        package var hint: String {
            "move the files \(path)* away; applications then register again"
        }
    }

    /// Opens and checks the file in a folder that this process has locked.
    package convenience init(folder: borrowing StateFolder, masterKey: MasterKey) throws {
        try self.init(folder: folder, masterKey: masterKey, DesktopSchema.migrations)
    }

    init(
        folder: borrowing StateFolder, masterKey: MasterKey, _ migrations: Migrations
    ) throws {
        try folder.makeFile(Self.fileName)
        let path = folder.path + "/" + Self.fileName
        try Connection.takeBackInterrupted(path)
        if let finding = try Self.finding(path, migrations) {
            throw Refusal(path: path, finding: finding)
        }
        let connection = try Connection(path, .readWrite)
        try connection.migrate(migrations)
        // The file is small, and the desktop should use little memory.
        try connection.setCache(kibibytes: 256)
        let clock = LastingClock(after: try Self.anchor(connection), at: .now())
        lastClient = try connection.integer("SELECT coalesce(max(row), 0) FROM client")
        sealer = try Sealer(current: masterKey)
        tagKey = try masterKey.key(for: "bellwire notification tags")
        self.clock = clock
        self.connection = connection
        try recordTime()
    }

    private static func finding(
        _ path: String, _ migrations: Migrations
    ) throws(Migration.Failure) -> String? {
        do throws(Migration.Failure) {
            return try Inspection(migrations).finding(path).map { "is damaged: \($0)" }
        } catch {
            switch error {
            case .earlierSchema:
                return "was written by an earlier bellwire, which this version does not continue"
            // The file is not a database.
            case .sqlite(let fault) where fault.isDamage: return "is damaged: \(fault)"
            default: throw error
            }
        }
    }

    /// Whether the folder has a store.
    package static func isThere(in folder: String) -> Bool {
        FileStamp(of: folder + "/" + fileName) != nil
    }

    func seal(_ text: [UInt8], _ place: Sealer.Place) throws(OpenSSLError) -> [UInt8] {
        try sealer.seal(text.span, at: place)
    }

    /// Nil if it cannot be unsealed: it was damaged, or sealed under another key.
    func open(_ sealed: [UInt8], _ place: Sealer.Place) -> [UInt8]? {
        guard let secret = try? sealer.open(sealed.span, at: place) else { return nil }
        return secret.withSpan { $0.array(0..<$0.count) }
    }

    /// Runs one statement with these values for its parameters.
    func run(_ sql: String, _ values: Value...) throws(SQLiteError) {
        let statement = try Statement(sql, on: connection)
        for (index, value) in values.enumerated() {
            let index = Int32(index + 1)
            switch value {
            case .integer(let integer): try statement.bind(integer, at: index)
            case .text(let text?): try statement.bind(text: text, at: index)
            case .text(nil): try statement.bindNull(at: index)
            case .blob(let bytes): try statement.bind(bytes, at: index)
            }
        }
        try statement.run()
    }

    enum Value {
        case integer(Int64?)
        case text(String?)
        case blob([UInt8]?)

        static func flag(_ flag: Bool) -> Value { .integer(flag ? 1 : 0) }
        static func channel(_ channel: ChannelID) -> Value {
            .blob(channel.bits.bytes.span.array(0..<16))
        }
    }

    private static let checkpointPages = 256

    /// Copies the WAL into the file when it has grown. Call it outside a transaction.
    package func tidy() throws(SQLiteError) {
        if connection.walPages > Self.checkpointPages { _ = try connection.checkpoint(.passive) }
    }
}

/// The clock by which messages expire; it continues after restarts.
extension DesktopStore {
    private static func anchor(
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> LastingClock.Anchor? {
        let select = try Statement(
            "SELECT time, boot, since_boot, wall FROM clock", on: connection)
        guard try select.step() else { return nil }
        return LastingClock.Anchor(
            milliseconds: select.integer(0),
            reading: ClockReading(
                boot: select.isNull(1) ? nil : select.bytes(1), sinceBoot: select.integer(2),
                wall: select.integer(3)))
    }

    /// The time by which messages expire.
    var now: Duration { .milliseconds(clock.milliseconds) }

    /// Records the time: at the start, and with each stored message.
    func recordTime() throws(SQLiteError) {
        let now = ClockReading.now()
        try run(
            "INSERT OR REPLACE INTO clock VALUES (1, ?1, ?2, ?3, ?4)",
            .integer(clock.milliseconds(at: now)), .blob(now.boot), .integer(now.sinceBoot),
            .integer(now.wall))
    }
}

/// The tables of the desktop. Columns whose names start with `sealed` hold sealed values. Times are
/// seconds since 1970, but `expires` and `time` are milliseconds of the store's clock.
enum DesktopSchema {
    /// Stores of programs before 0.1.0 have lower numbers and are not continued.
    static let migrations = Migrations(first: 3, [Migration("desktop", desktop)])

    /// Engines may use the id of a notification again in another group. For a group without shown
    /// notifications the highest id is unknown. `receivers_gone` has one row while no receiver is
    /// listed: since when, by the store's clock.
    private static let desktop = """
        CREATE TABLE clock (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            time INTEGER NOT NULL, boot BLOB, since_boot INTEGER NOT NULL, wall INTEGER NOT NULL
        );
        CREATE TABLE receiver (
            row INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, sealed_user_agent BLOB
        );
        CREATE TABLE channel (
            channel BLOB PRIMARY KEY, receiver INTEGER NOT NULL, is_ended INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE client (
            row INTEGER PRIMARY KEY, sealed_token BLOB NOT NULL, sandbox TEXT NOT NULL,
            service TEXT NOT NULL, description TEXT NOT NULL, application_key TEXT,
            version INTEGER NOT NULL, path TEXT NOT NULL, channel BLOB NOT NULL,
            sealed_endpoint BLOB, created INTEGER NOT NULL, last_delivery INTEGER,
            last_seen INTEGER NOT NULL, is_muted INTEGER NOT NULL, least_urgency TEXT NOT NULL
        );
        CREATE TABLE message (
            row INTEGER PRIMARY KEY AUTOINCREMENT, receiver INTEGER NOT NULL,
            channel BLOB NOT NULL, id TEXT NOT NULL, urgency TEXT NOT NULL,
            expires INTEGER NOT NULL, sealed_body BLOB NOT NULL
        );
        CREATE TABLE shown (
            source TEXT NOT NULL, of_group INTEGER NOT NULL, notification INTEGER NOT NULL,
            place TEXT NOT NULL, may_sound INTEGER NOT NULL, server_id INTEGER NOT NULL,
            server_owner TEXT, server_start INTEGER NOT NULL, sealed_request BLOB,
            PRIMARY KEY (source, of_group, notification)
        ) WITHOUT ROWID;
        CREATE TABLE shown_highest (
            source TEXT NOT NULL, of_group INTEGER NOT NULL, notification INTEGER NOT NULL,
            PRIMARY KEY (source, of_group)
        ) WITHOUT ROWID;
        CREATE TABLE receivers_gone (
            only INTEGER PRIMARY KEY CHECK (only = 1), since INTEGER NOT NULL
        );
        """
}
