import System

/// What a cluster that has ended, or one that never began, has left on the servers.
package struct ClusterRemains {
    private static let streams = [
        SnapshotManifest.stream, ClusterRecord.stream,
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
            guard try ClusterRecord.identity(jetStream) == nil else { throw .occupied }
        case nil:
            guard ending.isEmpty, try ClusterRecord.identity(jetStream) == nil else {
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
