import Base
import Crypto
import System

/// Writes a file into the stream of snapshots: its pieces, and then the manifest, which makes them
/// a snapshot.
package struct SnapshotWriting {
    /// How many of all pieces the servers have.
    package typealias Report = (_ done: Int, _ total: Int) -> Void

    private static let pieceLength = 512 << 10
    /// For one message, in milliseconds.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100

    private let jetStream: JetStream
    private let name: String
    private let length: Int
    /// False when the node has to end.
    private let isWanted: () -> Bool
    private var first: Int64?
    /// The digests of the pieces that the servers have.
    private var pieces: [Digest] = []
    private var puts = 0
    private var whole: (size: Int, digest: Digest)?

    init(
        _ jetStream: JetStream, while isWanted: @escaping () -> Bool
    ) throws(ClusterFault) {
        self.jetStream = jetStream
        self.isWanted = isWanted
        name = try RandomText.make()
        length = min(Self.pieceLength, jetStream.connection.longest - 4_096)
    }

    /// Blocks until the servers have the snapshot, and older ones are removed. The pieces of a
    /// snapshot that fails are removed at once, or before the next one.
    mutating func write(_ path: String, through number: Int64) throws(ClusterFault) {
        SnapshotLeftovers(jetStream: jetStream).remove()
        do throws(ClusterFault) {
            try update(path) { _, _ in }
            try finish(through: number)
        } catch {
            SnapshotLeftovers.remove(name, jetStream)
            throw error
        }
    }

    /// Writes the pieces that the servers do not have in their present form. Blocks.
    mutating func update(_ path: String, report: Report) throws(ClusterFault) {
        try SnapshotFault.passing { () throws in
            let file = try LargeFile(path)
            var hash = try SHA256()
            try hash.begin()
            let count = (file.size + length - 1) / length
            for piece in 0..<count {
                let bytes = try file.read(at: piece * length, count: length)
                try hash.update(bytes.span)
                try put(piece, bytes)
                report(piece + 1, count)
            }
            pieces.removeLast(max(0, pieces.count - count))
            whole = (file.size, Digest(try hash.finish()))
        }
    }

    /// Writes the manifest for the pieces that were written last. Blocks.
    mutating func finish(through number: Int64) throws(ClusterFault) {
        guard let whole else { return }
        let manifest = SnapshotManifest(
            name: name, number: number, size: whole.size, digest: whole.digest,
            pieces: pieces.count)
        try put(SnapshotManifest.subject(name), manifest.body)
        // Removes older snapshots. If that fails, the next snapshot removes them.
        if let first { _ = jetStream.purge(before: first, of: SnapshotManifest.stream) }
    }

    private mutating func put(_ piece: Int, _ bytes: [UInt8]) throws {
        var hash = try SHA256()
        let digest = Digest(try hash.digest(of: bytes.span))
        if piece < pieces.count, pieces[piece] == digest { return }
        try put(SnapshotManifest.subject(name, piece: piece), bytes)
        if piece < pieces.count { pieces[piece] = digest } else { pieces.append(digest) }
    }

    private mutating func put(_ subject: String, _ bytes: [UInt8]) throws(ClusterFault) {
        puts += 1
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            guard isWanted() else { throw .stopped }
            switch jetStream.publish(subject, [("Nats-Msg-Id", "\(name).\(puts)")], bytes) {
            case .stored(let sequence), .repeated(let sequence):
                first = first ?? sequence
                return
            case .refused(let error): throw .failed(error: error)
            case .unknown, .outdated, .repeatedBatch: WorkPause.milliseconds(Self.pause)
            }
        } while Boot.milliseconds < deadline
        throw .noAnswer
    }
}

/// Pieces of snapshots that never became complete. They would stay until the next complete one, and
/// each failure would leave less room.
struct SnapshotLeftovers {
    let jetStream: JetStream

    /// Removes the leftovers, as far as that succeeds.
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
