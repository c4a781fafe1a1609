import Glibc
import System

/// Makes what a cluster needs before its nodes can work.
struct ClusterOpening {
    /// In milliseconds. Servers that were just started need some seconds to agree on a leader.
    private static let patience: Int64 = 15_000
    private static let pause: UInt32 = 250
    private static let measurements = 3

    private let jetStream: JetStream
    private let replicas: Int?

    init(_ jetStream: JetStream, replicas: Int?) {
        self.jetStream = jetStream
        self.replicas = replicas
    }

    /// Blocks for some seconds at most.
    static func connect(_ settings: ClusterSettings) throws(ClusterFault) -> NatsConnection {
        try check(settings)
        let deadline = Boot.milliseconds + (settings.isPatient ? patience : 0)
        while true {
            do throws(NatsError) { return try NatsConnection(settings) } catch {
                let fault = ClusterFault(error)
                guard case .unreachable = fault, Boot.milliseconds < deadline else { throw fault }
            }
            WorkPause.milliseconds(pause)
        }
    }

    /// libnats does not say which file it cannot read.
    private static func check(_ settings: ClusterSettings) throws(ClusterFault) {
        for case let path? in [settings.authority, settings.credentials]
        where access(path, R_OK) != 0 {
            throw .unreadable(path: path)
        }
    }

    /// Makes the streams that are not there yet.
    func makeStreams() throws(ClusterFault) {
        for stream in [LogFeed.settings, ClusterState.settings, SnapshotManifest.settings] {
            try make(stream)
        }
    }

    /// Fails if there is a stream of that name with settings that are of no use.
    func make(_ settings: StreamSettings) throws(ClusterFault) {
        let deadline = Boot.milliseconds + Self.patience
        while true {
            let fault: ClusterFault
            switch jetStream.describe(settings.name) {
            case .done(let document):
                guard document.root["config"].map(settings.isMet) == true else {
                    throw .otherStream(settings.name)
                }
                return
            case .refused(_, JetStreamError.noStream):
                guard let refusal = create(settings) else { continue }
                fault = refusal
            case let answer:
                fault = ClusterFault(answer, stream: settings.name, replicas: 1) ?? .noAnswer
            }
            guard Boot.milliseconds < deadline else { throw fault }
            WorkPause.milliseconds(Self.pause)
        }
    }

    /// Another node may be faster: then the caller looks at the stream again.
    private func create(_ settings: StreamSettings) -> ClusterFault? {
        let wanted = replicas ?? 3
        let answer = jetStream.create(settings, replicas: wanted)
        if replicas == nil, case .refused(_, JetStreamError.noCluster) = answer {
            return ClusterFault(
                jetStream.create(settings, replicas: 1), stream: settings.name, replicas: 1)
        }
        return ClusterFault(answer, stream: settings.name, replicas: wanted)
    }

    /// The time by the clock of the log's leader, less the time since boot. The fastest answer is
    /// the most exact one.
    func clockOffset() throws(ClusterFault) -> Int64 {
        var best: (offset: Int64, duration: Int64)?
        for _ in 0..<Self.measurements {
            let sent = Boot.milliseconds
            guard case .done(let document) = jetStream.describe(LogFeed.stream),
                let state = LogState(document.root)
            else { continue }
            let duration = Boot.milliseconds - sent
            if duration < best?.duration ?? .max {
                best = (state.time - (sent + duration / 2), duration)
            }
        }
        guard let best else { throw .noAnswer }
        return best.offset
    }
}
