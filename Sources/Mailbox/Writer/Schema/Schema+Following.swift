import SQLite

/// A store that follows a log knows how far it has come.
extension Schema {
    static let following = Migration(
        "following", "ALTER TABLE state ADD COLUMN applied INTEGER NOT NULL DEFAULT 0")
}
