import SQLite

/// The tables of the store.
///
/// Counters in `state` number the rows and only go up, so no number is used twice, not even after a
/// restore. Sealed data are in columns with `sealed` in their name. Times are milliseconds:
/// `expires`, `time` and `restored_until` by the store's clock, the others since 1970.
enum Schema {
    static let migrations = [
        Migration("mailbox", mailbox), callbacks, registrations, Migration("marks", marks),
        Migration("replays", replays), engines, engineRecords, owed,
        Migration("device names", deviceNames),
        Migration("ended endpoints", endedEndpoints), shares, restores, addresses,
        following, rights,
    ]

    /// Stores of earlier schemas are not opened: what is sealed there does not say whose it is.
    static let first = 15

    /// The keys of endpoints and of backups are sealed together. Some devices can only receive. A
    /// store that follows a log knows the digest of the last entry that it has.
    private static let rights = Migration(
        "rights",
        """
        ALTER TABLE state RENAME COLUMN sealed_endpoint_key TO sealed_keys;
        ALTER TABLE credential ADD COLUMN receive_only INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE state ADD COLUMN applied_digest TEXT;
        """)

    /// Values that a file of ours can contain. Row numbers kept in memory are 32 bits; sums of
    /// sizes must not overflow.
    static let inspection = Inspection(
        migrations,
        ranges: [
            "state.subscription": counters, "state.device": counters,
            "state.credential": counters, "credential.row": counters,
            "device.row": counters, "subscription.row": counters,
            "subscription.kind": 0...2, "subscription.sender": 0...2,
            "subscription.device": counters, "credential.unconfirmed": 0...1,
            "credential.receive_only": 0...1,
            "engine.restored": 0...1,
            // Earlier versions put unreadable registrations off for ever.
            "registration.due": 0 ... .max,
            "message.size": 0...1 << 31, "callback_event.size": 0...1 << 31,
            "callback.bytes": 0...1 << 40, "callback.events": 0...1 << 40,
        ],
        lengths: [
            "credential.secret": 32, "device.user_agent": 32, "subscription.endpoint": 32,
            "message.id": 16, "message.location": 16,
        ],
        large: ["device", "subscription"])

    private static let counters: ClosedRange<Int64> = 0...Int64(StoreIndex.lastRow)

    /// `position` counts commits, `sequence` counts acceptances. Two indexes serve nearly
    /// everything that happens to messages: by device in order, and by expiry.
    private static let mailbox = """
        CREATE TABLE state (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            batch INTEGER NOT NULL, position INTEGER NOT NULL, sequence INTEGER NOT NULL,
            subscription INTEGER NOT NULL, device INTEGER NOT NULL, credential INTEGER NOT NULL,
            time INTEGER NOT NULL, boot BLOB, since_boot INTEGER NOT NULL, wall INTEGER NOT NULL,
            restored_until INTEGER, sealed_endpoint_key BLOB NOT NULL
        );
        CREATE TABLE owner (row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE credential (
            row INTEGER PRIMARY KEY, secret BLOB NOT NULL, name TEXT NOT NULL,
            owner INTEGER NOT NULL, created INTEGER NOT NULL, last_seen INTEGER
        );
        CREATE TABLE device (
            row INTEGER PRIMARY KEY, user_agent BLOB NOT NULL, credential INTEGER,
            owner INTEGER NOT NULL, created INTEGER NOT NULL, last_seen INTEGER NOT NULL
        );
        CREATE TABLE subscription (
            row INTEGER PRIMARY KEY, device INTEGER NOT NULL, kind INTEGER NOT NULL,
            channel BLOB NOT NULL, endpoint BLOB NOT NULL, sender INTEGER NOT NULL,
            key_hash BLOB, created INTEGER NOT NULL, sealed_token BLOB NOT NULL
        );
        CREATE INDEX subscription_device ON subscription (device);
        CREATE TABLE tombstone (endpoint BLOB PRIMARY KEY, ended INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE message (
            position INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, device INTEGER NOT NULL,
            subscription INTEGER NOT NULL, id BLOB NOT NULL, location BLOB NOT NULL, topic BLOB,
            expires INTEGER NOT NULL, size INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE INDEX message_device ON message (device, sequence);
        CREATE INDEX message_expires ON message (expires);
        CREATE UNIQUE INDEX message_topic ON message (subscription, topic)
            WHERE topic IS NOT NULL;
        """

    /// Makes each name unique for its owner. A duplicate gets its number appended or, if that is
    /// taken, a random name.
    private static let deviceNames = """
        UPDATE credential SET name = name || ' (' || row || ')' WHERE EXISTS (
            SELECT 1 FROM credential AS other WHERE other.owner = credential.owner
            AND other.name = credential.name AND other.row < credential.row);
        UPDATE credential SET name = name || ' (' || lower(hex(randomblob(8))) || ')' WHERE EXISTS (
            SELECT 1 FROM credential AS other WHERE other.owner = credential.owner
            AND other.name = credential.name AND other.row < credential.row);
        CREATE UNIQUE INDEX credential_name ON credential (owner, name);
        """

    /// Rows are in the order in which endpoints ended, so that the oldest can be deleted.
    private static let endedEndpoints = """
        CREATE TABLE ended_endpoint (
            row INTEGER PRIMARY KEY, endpoint BLOB NOT NULL, ended INTEGER NOT NULL
        );
        INSERT INTO ended_endpoint (endpoint, ended)
            SELECT endpoint, ended FROM tombstone ORDER BY ended;
        DROP TABLE tombstone;
        """

    /// All marks of a batch are one row, in batch order, so the oldest are first and expire first.
    /// Each row has its own position, because a marked push need not be stored. An owner's devices
    /// are counted whenever one is added.
    private static let marks = """
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        CREATE INDEX device_owner ON device (owner);
        """

    /// The same for the bodies that registrations received. An index of them on the disk would be
    /// written all over, one page per push.
    private static let replays = """
        CREATE TABLE replay (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        INSERT INTO replay SELECT row, expires, mark FROM replay_mark;
        DROP TABLE replay_mark;
        """
}

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

extension Schema {
    /// A callback outlives its registration until its last event is sent. `rank` orders its events:
    /// the introduction, then waiting events by `position`, then parked ones. Events and bytes are
    /// counted in the callback, so a transaction can tell that it would overfill an outbox.
    static let callbacks = Migration(
        "callbacks",
        """
        CREATE TABLE callback (
            row INTEGER PRIMARY KEY, state INTEGER NOT NULL, created INTEGER NOT NULL,
            events INTEGER NOT NULL, bytes INTEGER NOT NULL, sealed BLOB
        );
        CREATE TABLE callback_event (
            position INTEGER PRIMARY KEY, callback INTEGER NOT NULL, rank INTEGER NOT NULL,
            id BLOB NOT NULL, dies INTEGER NOT NULL, size INTEGER NOT NULL,
            attempts INTEGER NOT NULL, refusals INTEGER NOT NULL, due INTEGER NOT NULL,
            tally INTEGER, sealed BLOB NOT NULL
        );
        CREATE INDEX callback_event_order ON callback_event (callback, rank, position);
        CREATE INDEX callback_event_dies ON callback_event (dies);
        """)
}

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

/// Under which address a user agent got its endpoints, as the first 53 bits of its SHA-256. NULL for
/// user agents of earlier versions that have not connected since, and for registrations.
extension Schema {
    static let addresses = Migration(
        "addresses", "ALTER TABLE device ADD COLUMN address INTEGER")
}

/// What a restore leaves for the server to do.
///
/// A credential may have been revoked after the backup was made, so it is not let in before it is
/// confirmed. An engine raises its counters when it is next loaded.
extension Schema {
    static let restores = Migration(
        "restores",
        """
        ALTER TABLE credential ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE engine ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
        """)
}

/// A store that follows a log knows how far it has come, and which engines have clients at which
/// node.
extension Schema {
    static let following = Migration(
        "following",
        """
        ALTER TABLE state ADD COLUMN applied INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE engine_client (
            engine INTEGER NOT NULL, node TEXT NOT NULL, fetchers INTEGER NOT NULL,
            PRIMARY KEY (node, engine)
        ) WITHOUT ROWID;
        """)
}

extension CommitEntry {
    /// Stores of earlier schemas are not opened.
    package static let firstSchema = Schema.first
    /// The schema of this program.
    package static let knownSchema = Schema.migrations.count
}
