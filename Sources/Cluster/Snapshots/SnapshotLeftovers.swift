import Base

/// Pieces of snapshots that never became complete. Without this they would stay until the next one
/// is, and the more fail, the less room there would be.
struct SnapshotLeftovers {
    let jetStream: JetStream

    /// Removes them as far as that succeeds.
    func remove() {
        let stream = SnapshotManifest.stream
        guard
            case .done(let about) = jetStream.describe(
                stream, subjects: SnapshotManifest.everything),
            let subjects = about.root["state"]?["subjects"]?.members.map(\.name)
        else { return }
        for name in SnapshotManifest.incomplete(subjects) { Self.remove(name, jetStream) }
    }

    static func remove(_ name: String, _ jetStream: JetStream) {
        _ = jetStream.purge(SnapshotManifest.pieces(name), of: SnapshotManifest.stream)
    }
}
