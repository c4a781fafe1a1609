extension Schema {
    /// All marks of a batch are one row, in the order of the batches; so the oldest come first, and
    /// expire first. Each row has a position of its own: what is marked need not be stored.
    /// The devices of an owner are counted whenever there is a new one.
    static let marks = """
        CREATE TABLE mark (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        CREATE INDEX device_owner ON device (owner);
        """
    /// The same for the bodies that registrations got. An index of them on the disk would be written
    /// all over, a page for each push.
    static let replays = """
        CREATE TABLE replay (
            position INTEGER PRIMARY KEY, expires INTEGER NOT NULL, marks BLOB NOT NULL
        );
        INSERT INTO replay SELECT row, expires, mark FROM replay_mark;
        DROP TABLE replay_mark;
        """
}
