import SQLite

/// The tables of the store.
///
/// Counters in `state` number the rows and only go up, so no number is used twice, not even after a
/// restore. Sealed data are in columns with `sealed` in their name. Times are milliseconds:
/// `expires`, `time` and `restored_until` by the store's clock, the others since 1970.
enum Schema {
    /// Stores of programs before 0.1.0 have lower numbers and are not continued.
    static let first = 17
    static let migrations = Migrations(
        first: first,
        [
            Migration(
                "store",
                messages + registrations + callbacks + forwards + engines + topics + shares)
        ])

    /// Values that a file of ours can contain. Row numbers kept in memory are 32 bits; sums of
    /// sizes must not overflow.
    static let inspection = inspection(of: migrations)

    static func inspection(of migrations: Migrations) -> Inspection {
        Inspection(
            migrations,
            ranges: [
                "state.subscription": counters, "state.device": counters,
                "state.credential": counters, "credential.row": counters,
                "device.row": counters, "subscription.row": counters,
                "subscription.kind": 0...2, "subscription.sender": 0...2,
                "subscription.device": counters, "credential.unconfirmed": 0...1,
                "credential.receive_only": 0...1,
                "engine.restored": 0...1, "passkey.count": 0...Int64(UInt32.max),
                // Unreadable registrations are put off for ever.
                "registration.due": 0 ... .max,
                "message.size": 0...1 << 31, "callback_event.size": 0...1 << 31,
                "topic_message.id": 0 ... .max, "topic_message.place": 0 ... .max,
                "topic_scheduled.id": 0 ... .max, "topic_scheduled.topic": counters,
                "topic_scheduled.subscription": counters,
                "topic_picture.topic": counters,
                "topic_message.topic": counters, "topic_message.kind": 0...4,
                "topic_file.row": 0 ... .max, "topic_file.topic": counters,
                "topic_file.owner": counters, "topic_file.size": 0...1 << 31,
                "topic_file.message": 0 ... .max,
                "question.id": 0 ... .max, "question.topic": counters, "question.ended": 0...1,
                "question.holder": counters,
                "topic_message.size": 0...1 << 31, "topic.device": counters,
                "topic.bytes": 0...1 << 40, "topic.ended": 0...1, "topic_name.device": counters,
                "topic_owner.row": 0...Int64(TopicOwner.last),
                "topic_owner.position": 0...(1 << TopicRows.positionBits),
                "callback.bytes": 0...1 << 40, "callback.events": 0...1 << 40,
                "forward.row": counters, "forward.owner": counters, "forward.topic": counters,
            ],
            lengths: [
                "credential.secret": 32, "device.user_agent": 32, "subscription.endpoint": 32,
                "message.id": 16, "message.location": 16, "topic_name.name": 32,
                "passkey.digest": 32,
                "topic_file.mark": 16,
            ],
            large: ["device", "subscription"])
    }

    private static let counters: ClosedRange<Int64> = 0...Int64(StoreIndex.lastRow)

    /// `position` counts commits, `sequence` counts acceptances, and `applied` the entries of the
    /// log that the store follows. The keys of endpoints and of backups are sealed together.
    ///
    /// A credential may have been revoked after a backup was made, so after a restore it is not let
    /// in before it is confirmed. `address` says under which address a user agent got its endpoints,
    /// as the first 53 bits of its SHA-256; registrations have none.
    ///
    /// A passkey is found by the hash of its id. One that a restore would bring back may have been
    /// removed since, so backups bring back none.
    ///
    /// Two indexes serve nearly everything that happens to messages: by device in order, and by
    /// expiry. Rows of `ended_endpoint` are in the order in which endpoints ended, so that the
    /// oldest can be deleted. All marks of a batch are one row, in batch order, so the oldest are
    /// first and expire first. Each row has its own position, because a marked push need not be
    /// stored. An index of the marks on the disk would be written all over, one page per push.
    private static let messages = """
        CREATE TABLE state (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            batch INTEGER NOT NULL, position INTEGER NOT NULL, sequence INTEGER NOT NULL,
            subscription INTEGER NOT NULL, device INTEGER NOT NULL, credential INTEGER NOT NULL,
            time INTEGER NOT NULL, boot BLOB, since_boot INTEGER NOT NULL, wall INTEGER NOT NULL,
            restored_until INTEGER, sealed_keys BLOB NOT NULL, applied INTEGER NOT NULL,
            applied_digest TEXT
        );
        CREATE TABLE owner (row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE credential (
            row INTEGER PRIMARY KEY, secret BLOB NOT NULL, name TEXT NOT NULL,
            owner INTEGER NOT NULL, created INTEGER NOT NULL, last_seen INTEGER,
            unconfirmed INTEGER NOT NULL, receive_only INTEGER NOT NULL, sealed_terms BLOB,
            parent INTEGER, topic INTEGER, expires INTEGER
        );
        CREATE TABLE passkey (
            row INTEGER PRIMARY KEY, owner TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
            created INTEGER NOT NULL, last_used INTEGER, count INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        CREATE INDEX passkey_owner ON passkey (owner);
        CREATE UNIQUE INDEX credential_name ON credential (owner, name);
        CREATE INDEX credential_parent ON credential (parent) WHERE parent IS NOT NULL;
        CREATE INDEX credential_topic ON credential (topic) WHERE topic IS NOT NULL;
        CREATE INDEX credential_expires ON credential (expires) WHERE expires IS NOT NULL;
        CREATE TABLE device (
            row INTEGER PRIMARY KEY, user_agent BLOB NOT NULL, credential INTEGER,
            owner INTEGER NOT NULL, created INTEGER NOT NULL, last_seen INTEGER NOT NULL,
            address INTEGER
        );
        CREATE INDEX device_owner ON device (owner);
        CREATE INDEX device_credential ON device (credential) WHERE credential IS NOT NULL;
        CREATE TABLE subscription (
            row INTEGER PRIMARY KEY, device INTEGER NOT NULL, kind INTEGER NOT NULL,
            channel BLOB NOT NULL, endpoint BLOB NOT NULL, sender INTEGER NOT NULL,
            key_hash BLOB, created INTEGER NOT NULL, sealed_token BLOB NOT NULL
        );
        CREATE INDEX subscription_device ON subscription (device);
        CREATE TABLE ended_endpoint (
            row INTEGER PRIMARY KEY, endpoint BLOB NOT NULL, ended INTEGER NOT NULL
        );
        CREATE TABLE message (
            position INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, device INTEGER NOT NULL,
            subscription INTEGER NOT NULL, id BLOB NOT NULL, location BLOB NOT NULL, topic BLOB,
            expires INTEGER NOT NULL, size INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE INDEX message_device ON message (device, sequence);
        CREATE INDEX message_expires ON message (expires);
        CREATE UNIQUE INDEX message_topic ON message (subscription, topic)
            WHERE topic IS NOT NULL;
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        CREATE TABLE replay (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );

        """

    /// Answers expire in the order they were written, so they are deleted from the first row on and
    /// need no index for it. `told`: how many of a fetch signal's pushes the engine reports itself.
    private static let registrations = """
        CREATE TABLE registration (
            device INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, owner TEXT NOT NULL,
            revision INTEGER NOT NULL, due INTEGER NOT NULL, sealed BLOB NOT NULL,
            engine INTEGER NOT NULL
        );
        CREATE INDEX registration_due ON registration (due);
        CREATE INDEX registration_owner ON registration (owner);
        CREATE INDEX registration_engine ON registration (engine);
        CREATE TABLE undecryptable (
            device INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (device, reason)
        ) WITHOUT ROWID;
        CREATE TABLE kept_answer (
            row INTEGER PRIMARY KEY, request BLOB NOT NULL UNIQUE, body BLOB NOT NULL,
            expires INTEGER NOT NULL, sealed BLOB NOT NULL, owner TEXT NOT NULL,
            size INTEGER NOT NULL
        );
        CREATE TABLE fetch_signal (
            device INTEGER NOT NULL, in_flight INTEGER NOT NULL, id BLOB NOT NULL,
            count INTEGER NOT NULL, version TEXT, arrival INTEGER NOT NULL,
            expires INTEGER NOT NULL, told INTEGER NOT NULL, PRIMARY KEY (device, in_flight)
        ) WITHOUT ROWID;

        """

    /// A callback outlives its registration until its last event is sent. `rank` orders its events:
    /// the introduction, then waiting events by `position`, then parked ones. Events and bytes are
    /// counted in the callback, so a transaction can tell that it would overfill an outbox.
    /// `action`: the number of the engine's action that an event reports; `place`: that of the message
    /// of a topic that is forwarded.
    private static let callbacks = """
        CREATE TABLE callback (
            row INTEGER PRIMARY KEY, state INTEGER NOT NULL, created INTEGER NOT NULL,
            events INTEGER NOT NULL, bytes INTEGER NOT NULL, sealed BLOB, owner TEXT NOT NULL
        );
        CREATE TABLE callback_event (
            position INTEGER PRIMARY KEY, callback INTEGER NOT NULL, rank INTEGER NOT NULL,
            id BLOB NOT NULL, dies INTEGER NOT NULL, size INTEGER NOT NULL,
            attempts INTEGER NOT NULL, refusals INTEGER NOT NULL, due INTEGER NOT NULL,
            tally INTEGER, sealed BLOB NOT NULL, action INTEGER, place INTEGER
        );
        CREATE INDEX callback_event_order ON callback_event (callback, rank, position);
        CREATE INDEX callback_event_dies ON callback_event (dies);
        CREATE INDEX callback_event_place ON callback_event (place) WHERE place IS NOT NULL;

        """

    /// Each is a callback, and has its number. `topic` is zero for all topics of the owner; `lapses` is
    /// by the store's clock, and missing of what was confirmed; the other times are seconds since
    /// 1970.
    private static let forwards = """
        CREATE TABLE forward (
            row INTEGER PRIMARY KEY, owner INTEGER NOT NULL, topic INTEGER NOT NULL,
            created INTEGER NOT NULL, lapses INTEGER, delivered INTEGER, status INTEGER,
            reason TEXT
        );
        CREATE INDEX forward_topic ON forward (owner, topic);
        CREATE INDEX forward_lapses ON forward (lapses) WHERE lapses IS NOT NULL;

        """

    /// Names of applications, accounts and users can be revealing, so the file holds hashes under
    /// the endpoint key. An engine has the number of the registration that created it. Its account is
    /// saved as of some position; later changes are in the journal records after it, one for all
    /// engines of a batch. After a restore, an engine raises its counters when it is next loaded. A
    /// store that follows a log knows which engines have clients at which node.
    private static let engines = """
        CREATE TABLE engine (
            row INTEGER PRIMARY KEY, owner TEXT NOT NULL, app BLOB NOT NULL, account BLOB NOT NULL,
            user BLOB, position INTEGER NOT NULL, sealed BLOB NOT NULL, size INTEGER NOT NULL,
            restored INTEGER NOT NULL, UNIQUE (account, app, owner)
        );
        CREATE INDEX engine_user ON engine (user) WHERE user IS NOT NULL;
        CREATE TABLE engine_record (
            position INTEGER PRIMARY KEY, engines BLOB NOT NULL, sealed BLOB NOT NULL
        );
        CREATE TABLE engine_client (
            engine INTEGER NOT NULL, node TEXT NOT NULL, fetchers INTEGER NOT NULL,
            PRIMARY KEY (node, engine)
        ) WITHOUT ROWID;

        """

    /// What topics keep. Names are keyed hashes; `sequence` is missing where it is the id. `place` is
    /// the number of the owner and a position, which rises with each message of the owner. Where
    /// `sealed` is missing, only the place is known of a message, until `expires`. What an ended topic
    /// had is deleted little by little. `evicted` is the position of the newest message that has
    /// left a topic without its sender's wish, and `evicted_time` its time. An owner who was forgotten
    /// has nothing sealed; `made` is the position at which the key was made. Of a file, `mark` is its
    /// name on the disk, and `message` the id of its message. The id of a question is that of its
    /// message; `holder` is the credential, or 0, for which it counts, and `key` is missing unless the
    /// caller has named it.
    private static let topics = """
        CREATE TABLE topic_owner (
            row INTEGER PRIMARY KEY, owner TEXT NOT NULL, position INTEGER NOT NULL,
            made INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE TABLE topic (
            device INTEGER PRIMARY KEY, owner INTEGER NOT NULL, count INTEGER NOT NULL,
            bytes INTEGER NOT NULL, gone INTEGER NOT NULL, ended INTEGER NOT NULL,
            evicted INTEGER NOT NULL, evicted_time INTEGER NOT NULL
        );
        CREATE INDEX topic_owner_row ON topic (owner);
        CREATE INDEX topic_ended ON topic (device) WHERE ended = 1;
        CREATE TABLE topic_scheduled (
            row INTEGER PRIMARY KEY, topic INTEGER NOT NULL, subscription INTEGER NOT NULL,
            id INTEGER NOT NULL, sequence BLOB, due INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE INDEX topic_scheduled_due ON topic_scheduled (due);
        CREATE INDEX topic_scheduled_topic ON topic_scheduled (topic, id);
        CREATE INDEX topic_scheduled_sequence ON topic_scheduled (topic, sequence)
            WHERE sequence IS NOT NULL;
        CREATE TABLE topic_name (
            name BLOB PRIMARY KEY, device INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX topic_name_device ON topic_name (device);
        CREATE TABLE topic_message (
            place INTEGER PRIMARY KEY, topic INTEGER NOT NULL, id INTEGER NOT NULL,
            sequence BLOB, kind INTEGER NOT NULL, time INTEGER NOT NULL,
            expires INTEGER NOT NULL, size INTEGER NOT NULL, sealed BLOB
        );
        CREATE INDEX topic_message_topic ON topic_message (topic, place) WHERE sealed IS NOT NULL;
        CREATE INDEX topic_message_gone ON topic_message (topic, place) WHERE sealed IS NULL;
        CREATE INDEX topic_message_id ON topic_message (id);
        CREATE INDEX topic_message_sequence ON topic_message (topic, sequence)
            WHERE sequence IS NOT NULL AND sealed IS NOT NULL;
        CREATE INDEX topic_message_cleared ON topic_message (topic, sequence)
            WHERE kind IN (2, 4);
        CREATE INDEX topic_message_expires ON topic_message (expires);
        CREATE TABLE topic_file (
            row INTEGER PRIMARY KEY, mark BLOB NOT NULL, topic INTEGER NOT NULL,
            owner INTEGER NOT NULL, message INTEGER NOT NULL, size INTEGER NOT NULL,
            expires INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE UNIQUE INDEX topic_file_mark ON topic_file (mark);
        CREATE INDEX topic_file_message ON topic_file (topic, message);
        CREATE INDEX topic_file_expires ON topic_file (expires);
        CREATE TABLE question (
            id INTEGER PRIMARY KEY, topic INTEGER NOT NULL, holder INTEGER NOT NULL, key BLOB,
            ended INTEGER NOT NULL, due INTEGER NOT NULL, sealed BLOB NOT NULL
        );
        CREATE INDEX question_due ON question (due);
        CREATE INDEX question_topic ON question (topic, ended, due);
        CREATE INDEX question_holder ON question (topic, holder, ended, due);
        CREATE UNIQUE INDEX question_key ON question (topic, key) WHERE key IS NOT NULL;
        CREATE TABLE topic_picture (topic INTEGER PRIMARY KEY, sealed BLOB NOT NULL);

        """
}

extension CommitEntry {
    /// Stores of earlier schemas are not opened.
    package static let firstSchema = Schema.first
    /// The schema of this program.
    package static let knownSchema = Schema.migrations.last
    /// The schemas that this program can follow.
    static let schemas = firstSchema...knownSchema
}
