import SQLite

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
