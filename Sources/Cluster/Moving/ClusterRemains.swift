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

    /// Removes it. Fails if nodes may be using it. Blocks.
    package static func remove(_ settings: ClusterSettings) throws(ClusterFault) {
        let connection = try ClusterOpening.connect(settings)
        defer { connection.close() }
        let timer = try ClusterTimer { [connection] in connection.giveUp(at: Boot.milliseconds) }
        defer { timer.stop() }
        let jetStream = JetStream(connection)
        guard let ending = try LogEnding(jetStream) else { return }
        switch ending.boundary {
        case .end?: break
        case .begin?:
            guard try ClusterRecord.identity(jetStream) == nil else { throw .occupied }
        case nil:
            guard ending.isEmpty, try ClusterRecord.identity(jetStream) == nil else {
                throw .occupied
            }
        }
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
