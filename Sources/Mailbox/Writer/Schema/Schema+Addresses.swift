import SQLite

/// Under which address a user agent got its endpoints, as the first 53 bits of its SHA-256. NULL for
/// user agents of earlier versions that have not connected since, and for registrations.
extension Schema {
    static let addresses = Migration(
        "addresses", "ALTER TABLE device ADD COLUMN address INTEGER")
}
