import SQLite

/// The tables of registrations.
///
/// Answers expire in the order they were written, so they are deleted from the first row on and
/// need no index for it.
extension Schema {
    static let registrations = Migration(
        "registrations",
        """
        CREATE TABLE registration (
            device INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, owner TEXT NOT NULL,
            revision INTEGER NOT NULL, due INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE INDEX registration_due ON registration (due);
        CREATE INDEX registration_owner ON registration (owner);
        CREATE TABLE undecryptable (
            device INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (device, reason)
        ) WITHOUT ROWID;
        CREATE TABLE replay_mark (
            row INTEGER PRIMARY KEY, mark BLOB NOT NULL UNIQUE, expires INTEGER NOT NULL
        );
        CREATE TABLE kept_answer (
            row INTEGER PRIMARY KEY, request BLOB NOT NULL UNIQUE, body BLOB NOT NULL,
            expires INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE TABLE fetch_signal (
            device INTEGER NOT NULL, in_flight INTEGER NOT NULL, id BLOB NOT NULL,
            count INTEGER NOT NULL, version TEXT, arrival INTEGER NOT NULL,
            expires INTEGER NOT NULL, PRIMARY KEY (device, in_flight)
        ) WITHOUT ROWID;
        """)
}
