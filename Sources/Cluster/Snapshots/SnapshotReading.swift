import Base
import Crypto
import System

/// What says that a snapshot is complete, and where its pieces are.
///
///     bw.snapshot.<name>.<piece>
///     bw.snapshot.<name>.manifest
struct SnapshotManifest: Equatable {
    /// The name of this attempt to write a snapshot.
    let name: String
    /// The last entry of the log that the snapshot has.
    let number: Int64
    let size: Int
    let digest: Digest
    let pieces: Int

    static let stream = "BW_SNAPSHOT"
    static let all = "bw.snapshot.*.manifest"
    static let everything = "bw.snapshot.>"

    static func subject(_ name: String) -> String { "bw.snapshot.\(name).manifest" }

    static func subject(_ name: String, piece: Int) -> String { "bw.snapshot.\(name).\(piece)" }

    /// All pieces of the snapshot of this name.
    static func pieces(_ name: String) -> String { "bw.snapshot.\(name).*" }

    /// The names of which there are pieces without a manifest.
    static func incomplete(_ subjects: [String]) -> Set<String> {
        let parts = subjects.map { $0.split(separator: ".") }.filter { $0.count == 4 }
        let names = Set(parts.map { String($0[2]) })
        return names.subtracting(parts.filter { $0[3] == "manifest" }.map { String($0[2]) })
    }

    static var settings: StreamSettings {
        var stream = StreamSettings(name: Self.stream, subjects: [everything])
        stream.messagesPerSubject = 1
        return stream
    }

    init(name: String, number: Int64, size: Int, digest: Digest, pieces: Int) {
        self.name = name
        self.number = number
        self.size = size
        self.digest = digest
        self.pieces = pieces
    }

    /// Nil unless the message is a manifest.
    init?(_ message: StreamMessage) {
        guard let root = try? JSONDocument(message.message.body).root,
            let name = root["name"]?.text, message.subject == Self.subject(name),
            let number = root["number"]?.integer, let size = root["size"]?.integer, size >= 0,
            let pieces = root["pieces"]?.integer, pieces >= 0,
            let digest = root["sha256"]?.text.flatMap({ Base64.decode(Array($0.utf8)) }),
            let digest = Digest(digest.span)
        else { return nil }
        self.init(name: name, number: number, size: Int(size), digest: digest, pieces: Int(pieces))
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.member("number", Int(number))
            writer.member("size", size)
            writer.member("pieces", pieces)
            writer.member("sha256", Base64.text(digest.bytes.span))
        }
        return writer.bytes
    }
}

/// Reads the newest complete snapshot.
struct SnapshotReading {
    /// For one message, and until one snapshot is complete, in milliseconds.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100
    private static let mostSnapshots = 64

    let jetStream: JetStream

    /// Returns the last entry that the snapshot has. Nil if there is no snapshot; then there is no
    /// file either.
    func read(to path: String) throws(ClusterFault) -> Int64? {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            let found = try manifests()
            if found.isEmpty { return nil }
            for manifest in found {
                if try read(manifest, to: path) { return manifest.number }
            }
            // Newer snapshots have taken their place, or are about to.
        } while Boot.milliseconds < deadline
        throw .damagedSnapshot
    }

    func newestNumber() throws(ClusterFault) -> Int64? { try manifests().first?.number }

    /// The newest first.
    private func manifests() throws(ClusterFault) -> [SnapshotManifest] {
        try newest([SnapshotManifest.all], atLeast: 0)
            .compactMap { SnapshotManifest($0) }.sorted { $0.number > $1.number }
    }

    /// False if pieces are missing: two nodes that write at the same time remove each other's.
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

    /// A server that has fewer than `count` messages may not have heard of the rest yet.
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

/// The faults of what a snapshot is made of, as faults of the cluster.
enum SnapshotFault {
    static func passing<Result>(_ body: () throws -> Result) throws(ClusterFault) -> Result {
        do { return try body() } catch let fault as ClusterFault { throw fault } catch let error
            as SystemError
        { throw .file(error) } catch let error as OpenSSLError { throw .crypto(error) } catch {
            preconditionFailure("a snapshot failed with \(error)")
        }
    }
}
