import Base
import Crypto
import System

/// Reads the newest complete snapshot.
struct SnapshotReading {
    /// For one message, and until one snapshot is complete, in milliseconds.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100
    private static let mostSnapshots = 64

    let jetStream: JetStream

    /// The last entry that is in it. Nil if there is none; then there is no file either.
    func read(to path: String) throws(ClusterFault) -> Int64? {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            let found = try manifests()
            if found.isEmpty { return nil }
            for manifest in found {
                if try read(manifest, to: path) { return manifest.number }
            }
            // Newer ones have taken their place, or are about to.
        } while Boot.milliseconds < deadline
        throw .damagedSnapshot
    }

    func newestNumber() throws(ClusterFault) -> Int64? { try manifests().first?.number }

    /// The newest first.
    private func manifests() throws(ClusterFault) -> [SnapshotManifest] {
        try newest([SnapshotManifest.all], atLeast: 0)
            .compactMap { SnapshotManifest($0) }.sorted { $0.number > $1.number }
    }

    /// False if it is not complete: two nodes that write at the same time remove each other's.
    private func read(_ manifest: SnapshotManifest, to path: String) throws(ClusterFault) -> Bool {
        try SnapshotFault.passing { () throws in
            let draft = try DraftFile(for: path)
            var hash = try SHA256()
            try hash.begin()
            var size = 0
            for piece in 0..<manifest.pieces {
                let subject = SnapshotManifest.subject(manifest.name, piece: piece)
                guard let message = try newest([subject], atLeast: 1).first else { return false }
                let bytes = message.message.body
                try hash.update(bytes.span)
                try draft.append(bytes.span)
                size += bytes.count
            }
            guard size == manifest.size, Digest(try hash.finish()) == manifest.digest else {
                return false
            }
            try draft.publish()
            return true
        }
    }

    /// A server that has too few of them may not have heard of them yet.
    private func newest(
        _ subjects: [String], atLeast count: Int
    ) throws(ClusterFault) -> [StreamMessage] {
        let deadline = Boot.milliseconds + Self.patience
        var isAnswered = false
        for attempt in 0... {
            let outcome = jetStream.get(
                .newest(subjects, batch: Self.mostSnapshots), of: SnapshotManifest.stream)
            if case .messages(let messages) = outcome {
                isAnswered = true
                if messages.count >= count || attempt >= 10 { return messages }
            }
            guard Boot.milliseconds < deadline else { break }
            WorkPause.milliseconds(Self.pause)
        }
        if isAnswered { return [] }
        throw .noAnswer
    }
}
