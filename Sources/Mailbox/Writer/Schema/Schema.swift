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
