import SQLite

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
