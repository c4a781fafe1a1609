import System

/// How the log ends now.
struct LogEnding {
    /// In milliseconds. A server that just started may need some time.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100

    let state: LogState
    /// The last message, if it is one.
    let boundary: LogBoundary?

    /// No entry was ever written.
    var isVirgin: Bool { state.last == 0 }
    var isEmpty: Bool { isVirgin || state.first > state.last }

    /// Blocks. Nil if the stream is not there.
    init?(_ jetStream: JetStream) throws(ClusterFault) {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            switch jetStream.describe(LogFeed.stream) {
            case .refused(_, JetStreamError.noStream): return nil
            case .done(let document):
                if let state = LogState(document.root), let last = Self.last(jetStream, state) {
                    self.state = state
                    boundary = LogBoundary(last)
                    return
                }
            default: break
            }
            WorkPause.milliseconds(Self.pause)
        } while Boot.milliseconds < deadline
        throw .noAnswer
    }

    /// An empty message if there is none; nil if it cannot be read now.
    private static func last(_ jetStream: JetStream, _ state: LogState) -> NatsMessage? {
        guard state.first <= state.last, state.last > 0 else {
            return NatsMessage(subject: "", body: [])
        }
        let request = DirectGet.following(
            state.last, batch: 1, bytes: jetStream.connection.longest)
        guard case .messages(let found) = jetStream.get(request, of: LogFeed.stream),
            let message = found.first
        else { return nil }
        return message.message
    }
}
