import SQLite

/// The tables of engines.
///
/// Names of applications, accounts and users may tell something: the file has their hashes under the
/// endpoint key. An engine has the number of the registration that made it. Its account stands beside it as of some
/// entry of its journal; those after that are numbered by engine and entry, so that they lie together.
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
}
