import SQLite

/// The tables of the desktop. Columns whose names start with `sealed` hold sealed values. Times are
/// seconds since 1970, but `expires` and `time` are milliseconds of the store's clock.
enum DesktopSchema {
    static let migrations = [
        Migration("desktop", desktop), Migration("shown in groups", shownInGroups),
        Migration("receivers gone", receiversGone),
    ]

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
            source TEXT NOT NULL, notification INTEGER NOT NULL, of_group INTEGER NOT NULL,
            place TEXT NOT NULL, may_sound INTEGER NOT NULL, server_id INTEGER NOT NULL,
            server_owner TEXT, server_start INTEGER NOT NULL,
            PRIMARY KEY (source, notification)
        ) WITHOUT ROWID;
        CREATE TABLE shown_highest (source TEXT PRIMARY KEY, notification INTEGER NOT NULL)
            WITHOUT ROWID;
        """

    /// Engines may use the id of a notification again in another group. For a group without shown
    /// notifications the highest id is unknown.
    private static let shownInGroups = """
        CREATE TABLE grouped (
            source TEXT NOT NULL, of_group INTEGER NOT NULL, notification INTEGER NOT NULL,
            place TEXT NOT NULL, may_sound INTEGER NOT NULL, server_id INTEGER NOT NULL,
            server_owner TEXT, server_start INTEGER NOT NULL, sealed_request BLOB,
            PRIMARY KEY (source, of_group, notification)
        ) WITHOUT ROWID;
        INSERT INTO grouped SELECT source, of_group, notification, place, may_sound, server_id,
            server_owner, server_start, NULL FROM shown;
        CREATE TABLE grouped_highest (
            source TEXT NOT NULL, of_group INTEGER NOT NULL, notification INTEGER NOT NULL,
            PRIMARY KEY (source, of_group)
        ) WITHOUT ROWID;
        INSERT INTO grouped_highest SELECT DISTINCT shown.source, shown.of_group,
            shown_highest.notification FROM shown JOIN shown_highest USING (source);
        DROP TABLE shown;
        DROP TABLE shown_highest;
        ALTER TABLE grouped RENAME TO shown;
        ALTER TABLE grouped_highest RENAME TO shown_highest;
        """

    /// One row while no receiver is listed: since when, by the store's clock.
    private static let receiversGone = """
        CREATE TABLE receivers_gone (
            only INTEGER PRIMARY KEY CHECK (only = 1), since INTEGER NOT NULL
        );
        """
}
