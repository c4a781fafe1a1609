extension CommitEntry {
    /// Stores of earlier schemas are not opened.
    package static let firstSchema = Schema.first
    /// The schema of this program.
    package static let knownSchema = Schema.migrations.count
}
