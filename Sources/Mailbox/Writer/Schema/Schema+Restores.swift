import SQLite

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
