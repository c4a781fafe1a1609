import Base
import Crypto
import Notifications
import SQLite
import System

/// Stores an engine's account as a state and a journal of what was done since.
///
/// Both are sealed. The state is written again when the journal has outgrown it, so the cost of an
/// entry does not depend on the size of the account.
struct EngineDatabase: ~Copyable {
    private let folder: StateFolder
    private let connection: Connection
    private let insertion: Statement
    private var sealer: Sealer
    private var lastEntry: Int64 = 0
    private var journalSize = 0
    private var stateSize = 0

    /// The journal may always grow to this size.
    private static let smallJournal = 1 << 20

    /// Databases of programs before 0.1.0 have lower numbers and are not continued.
    private static let migrations = Migrations(
        first: 2,
        [
            Migration(
                "engine",
                """
                CREATE TABLE engine_state (
                    id INTEGER PRIMARY KEY CHECK (id = 1), state BLOB NOT NULL) STRICT;
                CREATE TABLE engine_journal (
                    id INTEGER PRIMARY KEY, time REAL NOT NULL, entry BLOB NOT NULL) STRICT;
                """)
        ])

    init(_ path: String) throws {
        let folder = try StateFolder(path)
        try folder.makeFile("engine.db")
        try Connection.takeBackInterrupted(path + "/engine.db")
        try Self.check(path + "/engine.db")
        let connection = try Connection(path + "/engine.db", .readWrite)
        try connection.migrate(Self.migrations)
        let sealer = try Sealer(current: try Self.masterKey(path + "/master.json"))
        let insertion = try Statement(
            "INSERT INTO engine_journal (id, time, entry) VALUES (?1, ?2, ?3)", on: connection)
        self.folder = folder
        self.connection = connection
        self.sealer = sealer
        self.insertion = insertion
    }

    private static func check(_ path: String) throws {
        let finding: String?
        do throws(Migration.Failure) {
            finding = try Inspection(migrations).finding(path).map { "is damaged: \($0)" }
        } catch {
            guard case .earlierSchema = error else { throw error }
            finding = "was written by an earlier bellwire, which this version does not continue"
        }
        guard let finding else { return }
        throw CommandError(
            message: "\(path) \(finding)",
            hint: "move the files engine.db* away, or restore a backup")
    }

    /// The key is made together with the database and never again, because another key would open
    /// nothing.
    private static func masterKey(_ path: String) throws -> MasterKey {
        if let text = try keyText(path) {
            guard case .master(let key) = try StoredKey(json: text) else {
                throw CommandError(message: "\(path) is not a master key")
            }
            return key
        }
        let key = try MasterKey.generate()
        let text = try StoredKey.master(key).json()
        try KeyFile.create(path, text.span)
        return key
    }

    /// Nil if the file does not exist.
    private static func keyText(_ path: String) throws(KeyFile.Failure) -> [UInt8]? {
        do throws(KeyFile.Failure) {
            return try KeyFile.read(path)
        } catch {
            if case .system(_, let system) = error, system.isMissingFile { return nil }
            throw error
        }
    }

    /// The account as the last process left it, even if that crashed.
    mutating func load(_ templates: TelegramTemplates) throws -> Account {
        var account = Account()
        let query = try Statement("SELECT state FROM engine_state", on: connection)
        if try query.step() {
            let sealed = query.bytes(0)
            stateSize = sealed.count
            account = try Account(state: try open(sealed, row: 1, "state"))
        }
        query.reset()
        let replayed = try replay(onto: account, templates)
        if let replayed { try save(replayed) }
        return replayed ?? account
    }

    /// Nil if the journal is empty.
    private mutating func replay(
        onto account: Account, _ templates: TelegramTemplates
    ) throws -> Account? {
        let query = try Statement(
            "SELECT id, time, entry FROM engine_journal ORDER BY id", on: connection)
        var engine = Engine(account)
        while try query.step() {
            lastEntry = query.integer(0)
            let time = query.real(1)
            let entry = try EngineEntry(try open(query.bytes(2), row: lastEntry, "entry"))
            engine.replay(entry, at: time, templates)
        }
        return lastEntry == 0 ? nil : engine.account
    }

    private mutating func open(
        _ sealed: [UInt8], row: Int64, _ column: StaticString
    ) throws -> [UInt8] {
        let place = Sealer.Place(table: "engine", row: row, column: column)
        return try sealer.open(sealed.span, at: place).withSpan { $0.array(0..<$0.count) }
    }

    /// Returns after the entries are on the disk.
    mutating func append(_ entries: [(time: Double, entry: EngineEntry)]) throws {
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        for (time, entry) in entries {
            lastEntry += 1
            let place = Sealer.Place(table: "engine", row: lastEntry, column: "entry")
            let bytes = entry.bytes
            let sealed = try sealer.seal(bytes.span, at: place)
            journalSize += sealed.count
            try insertion.bind(lastEntry, at: 1)
            try insertion.bind(real: time, at: 2)
            try insertion.bind(sealed.span, at: 3)
            try insertion.run()
        }
        try connection.execute("COMMIT")
        if connection.walPages > Self.checkpointPages { _ = try connection.checkpoint(.passive) }
    }

    private static let checkpointPages = 1000

    var isJournalLong: Bool { journalSize > max(Self.smallJournal, stateSize) }

    /// Replaces the state and empties the journal.
    mutating func save(_ account: Account) throws {
        let place = Sealer.Place(table: "engine", row: 1, column: "state")
        let state = account.state
        let sealed = try sealer.seal(state.span, at: place)
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        let statement = try Statement(
            "INSERT OR REPLACE INTO engine_state (id, state) VALUES (1, ?1)", on: connection)
        try statement.bind(sealed.span, at: 1)
        try statement.run()
        try connection.execute("DELETE FROM engine_journal")
        try connection.execute("COMMIT")
        stateSize = sealed.count
        journalSize = 0
    }
}
