extension CommitEntry {
    /// The schema of this program.
    package static let knownSchema = Schema.migrations.count
}
