import SQLite

/// The tables of engines.
///
/// Names of applications, accounts and users can be revealing, so the file holds hashes under the
/// endpoint key. An engine has the number of the registration that created it. Its account is saved
/// as of some position; later changes are in the journal records after it.
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

    /// Journal records by batch. The contents of the former journal are lost.
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

    /// What engines owe: the number of the action that a callback event reports, and how many of a
    /// fetch signal's pushes the engine reports itself.
    static let owed = Migration(
        "owed",
        """
        ALTER TABLE callback_event ADD COLUMN action INTEGER;
        ALTER TABLE fetch_signal ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
        """)
}
