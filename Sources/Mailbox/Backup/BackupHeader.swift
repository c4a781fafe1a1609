import SQLite

/// What a backup says about itself, in the one row of its table `backup`.
package struct BackupHeader: Equatable, Sendable {
    /// How the master key is in the backup.
    package enum Protection: String, Sendable {
        case clear
        /// Sealed under a passphrase.
        case passphrase
        /// It is not in the backup.
        case none
    }

    /// The version of the format. A later one may be laid out differently.
    static let format: Int64 = 2
    static let table = Migration(
        "backup",
        """
        CREATE TABLE backup (
            only INTEGER PRIMARY KEY CHECK (only = 1), format INTEGER NOT NULL,
            made INTEGER NOT NULL, program TEXT NOT NULL, protection TEXT NOT NULL,
            keys BLOB NOT NULL
        );
        """)

    /// Milliseconds since 1970.
    package let made: Int64
    /// The version of the program that made it.
    package let program: String
    package let protection: Protection
    /// The master keys as `protection` says; empty for `none`.
    let keys: [UInt8]

    func write(on connection: borrowing Connection) throws(StoreFault) {
        try connection.forStore { connection throws(SQLiteError) in
            try connection.execute(Self.table.sql)
        }
        try connection.run(
            "INSERT INTO backup VALUES (1, ?1, ?2, ?3, ?4, ?5)", Self.format, made, program,
            protection.rawValue, keys)
    }

    enum Found: Equatable {
        case none
        case earlierFormat
        case laterFormat
        case header(BackupHeader)
    }

    static func read(on connection: borrowing Connection) throws(StoreFault) -> Found {
        let tables = try connection.number(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'backup'")
        guard tables == 1 else { return .none }
        let format = try connection.number("SELECT format FROM backup")
        guard format == Self.format else {
            return format > Self.format ? .laterFormat : .earlierFormat
        }
        let select = try StoreStatement(
            "SELECT made, program, protection, keys FROM backup", on: connection)
        guard try select.step(), let protection = Protection(rawValue: select.text(2)) else {
            return .none
        }
        return .header(
            BackupHeader(
                made: select.integer(0), program: select.text(1), protection: protection,
                keys: select.bytes(3)))
    }
}
