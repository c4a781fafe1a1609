import Base
import System

/// What the leader of a stream says of the stream.
struct LogState: Equatable, Sendable {
    let first: Int64
    let last: Int64
    /// Milliseconds since the leader last heard of a majority of the servers: until then no other
    /// server could lead.
    let age: Int64
    /// Milliseconds since 1970, by the leader's clock.
    let time: Int64

    init(first: Int64, last: Int64, age: Int64 = 0, time: Int64 = 0) {
        self.first = first
        self.last = last
        self.age = age
        self.time = time
    }

    /// Nil unless `answer` is one to `STREAM.INFO`.
    init?(_ answer: JSONNode) {
        guard let first = answer["state"]?["first_seq"]?.integer,
            let last = answer["state"]?["last_seq"]?.integer,
            let time = answer["ts"]?.text.flatMap({ CivilTime.milliseconds(rfc3339: $0) })
        else { return nil }
        self.init(first: first, last: last, age: Self.age(answer["cluster"]), time: time)
    }

    /// A leader that is cut off answers for ten more seconds. So the answer also has, in
    /// nanoseconds, how long the leader has not heard of each other server.
    private static func age(_ cluster: JSONNode?) -> Int64 {
        guard let others = cluster?["replicas"]?.elements, !others.isEmpty else { return 0 }
        let ages = others.map { $0["active"]?.integer ?? .max }.sorted()
        // This many other servers and the leader are the majority.
        return ages[(others.count + 1) / 2 - 1] / 1_000_000
    }
}

/// The end of the log, as it is now.
struct LogEnding {
    /// In milliseconds. A server that just started may need some time.
    private static let patience: Int64 = 10_000
    private static let pause: UInt32 = 100

    let state: LogState
    /// The boundary that the last message is; nil if that message is an entry.
    let boundary: LogBoundary?

    /// No entry was ever written.
    var isVirgin: Bool { state.last == 0 }
    var isEmpty: Bool { isVirgin || state.first > state.last }

    /// Blocks. Nil if there is no stream.
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

    /// The last message: an empty one if the log has none, nil if it cannot be read now.
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
