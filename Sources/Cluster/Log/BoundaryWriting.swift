/// Writes a boundary.
struct BoundaryWriting {
    private static let attempts = 3
    private static let pause: UInt32 = 100

    enum Outcome: Equatable {
        case written(Int64)
        /// Others have written meanwhile.
        case outdated
        case unknown
    }

    let jetStream: JetStream

    /// Blocks. Nothing is written unless `last` is still the last one.
    func write(_ boundary: LogBoundary, after last: Int64) throws(ClusterFault) -> Outcome {
        let fields = [
            ("Nats-Expected-Last-Sequence", String(last)), (LogBoundary.name, boundary.text),
            ("Nats-Msg-Id", try RandomText.make()),
        ]
        for _ in 0..<Self.attempts {
            switch jetStream.publish(LogFeed.subject, fields, []) {
            case .stored(let number), .repeated(let number): return .written(number)
            case .refused(let error): throw .failed(error: error)
            case .outdated, .unknown, .repeatedBatch:
                // An earlier attempt may have been it.
                guard let ending = try LogEnding(jetStream), ending.state.last > last else { break }
                let isOurs = ending.state.last == last + 1 && ending.boundary == boundary
                return isOurs ? .written(last + 1) : .outdated
            }
            WorkPause.milliseconds(Self.pause)
        }
        return .unknown
    }
}
