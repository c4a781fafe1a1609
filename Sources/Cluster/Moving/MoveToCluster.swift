import Base
import Crypto
package import Mailbox
import System

/// Brings the store of one machine to servers that have none, where nodes can share it then.
///
/// First the log gets a boundary, so that nobody takes the servers for unused ones. Then copies of
/// the store are put there, each of which only sends what has changed. Only when the store itself
/// says that it belongs there, it does; its node then tells the others who they are.
package final class MoveToCluster {
    package typealias Report = SnapshotWriting.Report

    private let connection: NatsConnection
    private let jetStream: JetStream
    private let timer: ClusterTimer
    private let replicas: Int?
    private var writing: SnapshotWriting
    /// The cluster's time in milliseconds since 1970, less `Boot.milliseconds`.
    private var clockOffset: Int64 = 0
    /// The number of the boundary: what the store has at its end.
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

    /// Fails if the servers have a store. What a former attempt with this store has left is used.
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

    /// Puts a copy of the store in `folder` there: what is not there yet. Blocks.
    package func put(storeIn folder: String, report: Report) throws {
        let copy = try StoreCopy(of: folder)
        let place = try StorePlace(of: folder)
        try StorePlace.join(
            fileAt: copy.path, isCopy: true, after: number, place.time(at: .now()), at: reading)
        try writing.update(copy.path, report: report)
    }

    /// The copy that was put there last is what new nodes begin with. From then on the store belongs
    /// there. Blocks.
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

/// What tells a store from all others, without telling its secrets.
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
        // Last: until then its end tells that nobody may use the others.
        LogFeed.stream,
    ]

    /// In milliseconds.
    private static let patience: Int64 = 500

    /// Removes it. Fails if nodes may be using it, unless it `isLost` for all of them. Blocks.
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
