import Base
import Crypto
import System

/// Writes a file into the stream of snapshots, piece by piece, and last that it is complete.
struct SnapshotWriting {
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

    init(
        _ jetStream: JetStream, while isWanted: @escaping () -> Bool
    ) throws(ClusterFault) {
        self.jetStream = jetStream
        self.isWanted = isWanted
        name = try RandomText.make()
        length = min(Self.pieceLength, jetStream.connection.longest - 4_096)
    }

    /// Blocks until it is there and older ones are removed. What was written of one that fails is
    /// removed at once, or before the next one.
    mutating func write(_ path: String, through number: Int64) throws(ClusterFault) {
        SnapshotLeftovers(jetStream: jetStream).remove()
        do throws(ClusterFault) {
            try put(SnapshotManifest.subject(name), try pieces(path, number).body)
        } catch {
            SnapshotLeftovers.remove(name, jetStream)
            throw error
        }
        // What is older goes. If that fails, it goes with the next one.
        if let first { _ = jetStream.purge(before: first, of: SnapshotManifest.stream) }
    }

    private mutating func pieces(
        _ path: String, _ number: Int64
    ) throws(ClusterFault) -> SnapshotManifest {
        try SnapshotFault.passing { () throws in
            let file = try LargeFile(path)
            var hash = try SHA256()
            try hash.begin()
            var piece = 0
            while piece * length < file.size {
                let bytes = try file.read(at: piece * length, count: length)
                try hash.update(bytes.span)
                try put(SnapshotManifest.subject(name, piece: piece), bytes)
                piece += 1
            }
            return SnapshotManifest(
                name: name, number: number, size: file.size, digest: Digest(try hash.finish()),
                pieces: piece)
        }
    }

    private mutating func put(_ subject: String, _ bytes: [UInt8]) throws(ClusterFault) {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            guard isWanted() else { throw .stopped }
            switch jetStream.publish(subject, [("Nats-Msg-Id", subject)], bytes) {
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
