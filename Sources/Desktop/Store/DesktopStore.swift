import Base
package import Crypto
import Delivery
import Mailbox
package import SQLite
package import System

/// What the desktop remembers: who is registered, by which name each receiver knows us, and messages
/// that no receiver keeps. For one thread; everything is on the disk before a call returns.
package final class DesktopStore {
    static let fileName = "desktop.db"

    let connection: Connection
    private var sealer: Sealer
    let clock: StoreClock
    /// Rows are numbered here, because what is sealed knows its row.
    var lastClient: Int64
    var clientRows: [ClientKey: Int64] = [:]

    package struct Damage: Error, CustomStringConvertible {
        let path: String
        let finding: String

        package var description: String { "\(path) is damaged: \(finding)" }
        package var hint: String { "move the files \(path)* away; applications register again" }
    }

    /// Opens the file in a folder that this process has locked, and looks through the whole of it.
    package init(folder: borrowing StateFolder, masterKey: MasterKey) throws {
        try folder.makeFile(Self.fileName)
        let path = folder.path + "/" + Self.fileName
        if let finding = try Self.finding(path) { throw Damage(path: path, finding: finding) }
        let connection = try Connection(path, .readWrite)
        try connection.migrate(DesktopSchema.migrations)
        // There is little in it, and the desktop has little room.
        try connection.setCache(kibibytes: 256)
        let clock = StoreClock(after: try Self.anchor(connection), at: .now())
        lastClient = try connection.integer("SELECT coalesce(max(row), 0) FROM client")
        sealer = try Sealer(current: masterKey)
        self.clock = clock
        self.connection = connection
        try noteTime()
    }

    private static func finding(_ path: String) throws(Migration.Failure) -> String? {
        do throws(Migration.Failure) {
            return try Inspection(DesktopSchema.migrations).finding(path)
        } catch {
            // It is not even a database.
            guard case .sqlite(let fault) = error, fault.isDamage else { throw error }
            return fault.description
        }
    }

    /// Whether one was made in that folder.
    package static func isThere(in folder: String) -> Bool {
        FileStamp(of: folder + "/" + fileName) != nil
    }

    func seal(_ text: [UInt8], _ place: Sealer.Place) throws(OpenSSLError) -> [UInt8] {
        try sealer.seal(text.span, at: place)
    }

    /// Nil for what does not unseal: it was damaged, or sealed under another key.
    func open(_ sealed: [UInt8], _ place: Sealer.Place) -> [UInt8]? {
        guard let secret = try? sealer.open(sealed.span, at: place) else { return nil }
        return secret.withSpan { $0.array(0..<$0.count) }
    }

    /// One statement with its values.
    func run(
        _ sql: String, _ bind: (borrowing Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let statement = try Statement(sql, on: connection)
        try bind(statement)
        try statement.run()
    }

    private static let checkpointPages = 256

    /// Copies the WAL into the file where it has grown; outside of a transaction.
    package func tidy() throws(SQLiteError) {
        if connection.walPages > Self.checkpointPages { _ = try connection.checkpoint(.passive) }
    }
}

/// Time that goes on over restarts, by which messages expire.
extension DesktopStore {
    private static func anchor(
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoreClock.Anchor? {
        let select = try Statement(
            "SELECT time, boot, since_boot, wall FROM clock", on: connection)
        guard try select.step() else { return nil }
        return StoreClock.Anchor(
            time: StoreTime(milliseconds: select.integer(0)),
            reading: ClockReading(
                boot: select.isNull(1) ? nil : select.bytes(1), sinceBoot: select.integer(2),
                wall: select.integer(3)))
    }

    /// Records what time it is: with each message that is kept, and at the start.
    func noteTime() throws(SQLiteError) {
        let now = ClockReading.now()
        let time = clock.time(at: now)
        try run("INSERT OR REPLACE INTO clock VALUES (1, ?1, ?2, ?3, ?4)") {
            statement throws(SQLiteError) in
            try statement.bind(time.milliseconds, at: 1)
            try statement.bind(now.boot, at: 2)
            try statement.bind(now.sinceBoot, at: 3)
            try statement.bind(now.wall, at: 4)
        }
    }
}
