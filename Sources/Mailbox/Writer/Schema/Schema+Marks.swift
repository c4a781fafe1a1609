extension Schema {
    /// All marks of a batch are one row, in batch order, so the oldest are first and expire first.
    /// Each row has its own position, because a marked push need not be stored. An owner's devices
    /// are counted whenever one is added.
    static let marks = """
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        CREATE INDEX device_owner ON device (owner);
        """
    /// The same for the bodies that registrations received. An index of them on the disk would be
    /// written all over, one page per push.
    static let replays = """
        CREATE TABLE replay (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        INSERT INTO replay SELECT row, expires, mark FROM replay_mark;
        DROP TABLE replay_mark;
        """
}
