import Base
import Crypto
package import Mailbox
import System

/// Moves the store of one machine to servers that have none. Then nodes can share it.
///
/// First the log gets a boundary, so that the servers do not look unused. Then copies of the store
/// are put there; each copy only sends what has changed since the one before. The store belongs to
/// the cluster from the moment at which its own file says so. Its node then makes the identity that
/// all nodes read.
package final class MoveToCluster {
    package typealias Report = SnapshotWriting.Report

    private let connection: NatsConnection
    private let jetStream: JetStream
    private let timer: ClusterTimer
    private let replicas: Int?
    private var writing: SnapshotWriting
    /// The cluster's time in milliseconds since 1970, less `Boot.milliseconds`.
    private var clockOffset: Int64 = 0
    /// The number of the boundary, which is the last entry that the store has.
    private var number: Int64 = 0

    /// Connects. Blocks for some seconds at most.
    package init(_ settings: ClusterSettings) throws(ClusterFault) {
        connection = try ClusterOpening.connect(settings)
        jetStream = JetStream(connection)
        replicas = settings.replicas
        timer = try ClusterTimer { [connection] in connection.giveUp(at: Boot.milliseconds) }
        do throws(ClusterFault) { writing = try SnapshotWriting(jetStream) { true } } catch {
            timer.stop()
            throw error
        }
    }

    package func serverReport() -> ServerReport? { ServerSurvey.report(connection) }

    /// Fails if the servers have a store. What a former attempt with the same store has left is
    /// used.
    package func begin(_ place: StorePlace) throws(ClusterFault) {
        let opening = ClusterOpening(jetStream, replicas: replicas)
        try opening.makeStreams()
        clockOffset = try opening.clockOffset()
        guard let ending = try LogEnding(jetStream) else { throw .noAnswer }
        let boundary = LogBoundary.begin(mark: try StoreMark.text(of: place))
        if case .end(let node)? = ending.boundary { throw .ended(node: node) }
        guard try ClusterState.identity(jetStream) == nil else { throw .occupied }
        if ending.boundary == boundary {
            number = ending.state.last
        } else if case .begin? = ending.boundary {
            throw .arriving
        } else {
            guard ending.isEmpty else { throw .occupied }
            let writing = BoundaryWriting(jetStream: jetStream)
            switch try writing.write(boundary, after: ending.state.last) {
            case .written(let number): self.number = number
            case .outdated: throw .occupied
            case .unknown: throw .noAnswer
            }
        }
        try ClusterState.setNumbers(Int64(place.blocks), jetStream)
    }

    /// Puts a copy of the store in `folder` on the servers, without the pieces that they have.
    /// Blocks.
    package func put(storeIn folder: String, report: Report) throws {
        let copy = try StoreCopy(of: folder)
        let place = try StorePlace(of: folder)
        try StorePlace.join(
            fileAt: copy.path, isCopy: true, after: number, place.time(at: .now()), at: reading)
        try writing.update(copy.path, report: report)
    }

    /// From now on, new nodes begin with the last copy, and the store belongs to the cluster.
    /// Blocks.
    package func complete(_ folder: String) throws {
        try writing.finish(through: number)
        ConfirmedEntry.forget(in: folder)
        let place = try StorePlace(of: folder)
        try StorePlace.join(
            fileAt: StoreCopy.store(in: folder), after: number, place.time(at: .now()),
            at: reading)
    }

    private var reading: ClockReading { ClockReading(clockOffset: clockOffset) }

    package func close() {
        timer.stop()
        connection.close()
    }
}

/// By what a store is told from all others, without its secrets.
enum StoreMark {
    static func text(of place: StorePlace) throws(ClusterFault) -> String {
        do throws(OpenSSLError) {
            var hash = try SHA256()
            return Digest(try hash.digest(of: place.sealedKeys.span)).bytes.hexadecimal
        } catch { throw .crypto(error) }
    }
}

/// What a cluster that has ended, or one that never began, has left on the servers.
package struct ClusterLeftovers {
    private static let streams = [
        SnapshotManifest.stream, ClusterState.stream,
        // The log goes last: its end says that the other streams are not in use.
        LogFeed.stream,
    ]

    /// In milliseconds.
    private static let patience: Int64 = 500

    /// Removes the leftovers. Fails if nodes may be using the streams, unless the log `isLost` for
    /// all of them. Blocks.
    package static func remove(
        _ settings: ClusterSettings, isLost: Bool = false
    ) throws(ClusterFault) {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let timer = try ClusterTimer { [connection] in connection.giveUp(at: Boot.milliseconds) }
        defer { timer.stop() }
        let jetStream = JetStream(connection)
        if !isLost {
            guard let ending = try LogEnding(jetStream) else { return }
            try check(ending, jetStream)
        }
        try remove(jetStream)
    }

    private static func check(
        _ ending: LogEnding, _ jetStream: JetStream
    ) throws(ClusterFault) {
        switch ending.boundary {
        case .end?: break
        case .begin?:
            guard try ClusterState.identity(jetStream) == nil else { throw .occupied }
        case nil:
            guard ending.isEmpty, try ClusterState.identity(jetStream) == nil else {
                throw .occupied
            }
        }
    }

    private static func remove(_ jetStream: JetStream) throws(ClusterFault) {
        // A node need not have the right to remove a stream, but may empty it.
        var mayDelete = true
        for stream in streams {
            if mayDelete {
                switch jetStream.delete(stream, patience: patience) {
                case .done, .refused(_, JetStreamError.noStream): continue
                default: mayDelete = false
                }
            }
            try empty(stream, jetStream)
        }
    }

    private static func empty(_ stream: String, _ jetStream: JetStream) throws(ClusterFault) {
        switch jetStream.purge(before: nil, of: stream) {
        case .done, .refused(_, JetStreamError.noStream): return
        case .refused(_, let error): throw .failed(error: error)
        case .lost, .noResponder: throw .noAnswer
        }
    }
}
