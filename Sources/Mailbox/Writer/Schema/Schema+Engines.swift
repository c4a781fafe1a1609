import SQLite

/// The tables of engines.
///
/// Names of applications, accounts and users may tell something: the file has their hashes under the
/// endpoint key. An engine has the number of the registration that made it. Its account stands beside
/// it as of some position; what was done after that stands in the records of the journal behind it.
extension Schema {
    static let engines = Migration(
        "engines",
        """
        CREATE TABLE engine (
            row INTEGER PRIMARY KEY, owner TEXT NOT NULL, app BLOB NOT NULL, account BLOB NOT NULL,
            user BLOB, entry INTEGER NOT NULL, sealed BLOB NOT NULL,
            UNIQUE (account, app, owner)
        );
        CREATE INDEX engine_user ON engine (user) WHERE user IS NOT NULL;
        CREATE TABLE engine_entry (row INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
        ALTER TABLE registration ADD COLUMN engine INTEGER;
        CREATE INDEX registration_engine ON registration (engine);
        """)

    /// Records of the journal by batch. What stood in the journal of before is lost.
    static let engineRecords = Migration(
        "engine records",
        """
        ALTER TABLE engine RENAME COLUMN entry TO position;
        UPDATE engine SET position = 0;
        DROP TABLE engine_entry;
        CREATE TABLE engine_record (
            position INTEGER PRIMARY KEY, engines BLOB NOT NULL, sealed BLOB NOT NULL
        );
        """)

    /// What engines owe: the number of an action that a callback is told of, and how many of the pushes
    /// that a fetch signal stands for are told by the engine, too.
    static let owed = Migration(
        "owed",
        """
        ALTER TABLE callback_event ADD COLUMN action INTEGER;
        ALTER TABLE fetch_signal ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
        """)
}
