import Base
package import Mailbox
import Synchronization
import System

/// The log of a cluster's stores: a stream of which the servers have copies.
///
/// Following begins with the first call of `append` or `entries`, which says what the store has.
package final class ClusterLog: CommitLog {
    /// The servers add fields to a message when they tell of it.
    private static let reserve = 64 << 10

    /// In milliseconds.
    private static let pause: UInt32 = 20

    /// What nobody keeps.
    private static let passed = "bw.now"

    private let jetStream: JetStream
    private let subscription = Lock<NatsSubscription?>(nil)
    private let feed: LogFeed
    private let state: ClusterState
    /// This node has ended the log.
    private let hasEnded = Atomic(false)

    init(_ jetStream: JetStream, _ state: ClusterState) throws(NatsError) {
        self.jetStream = jetStream
        self.state = state
        feed = try LogFeed(jetStream)
    }

    package func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer {
        guard feed.isSound else {
            WorkPause.milliseconds(Self.pause)
            // Nothing was written, but nobody shall try again at once for ever.
            return feed.hasGoneBack ? .unknown : .outdated
        }
        let race = AppendRace(of: entry.name)
        feed.begin(entry, after: last, race)
        let longest = max(Self.reserve, jetStream.connection.longest - Self.reserve)
        let answer = LogAppending(entry, after: last, longest: longest, jetStream, race).run()
        feed.end(answer)
        return answer
    }

    package func ask(_ entry: CommitEntry) {
        // It is asked again, if need be.
        try? jetStream.connection.publish(
            LogFeed.subject, LogPart.fields(of: entry),
            LogPart.bodies(entry, longest: .max)[0])
    }

    package func entries(after last: Int64) -> [NumberedEntry] { feed.take(after: last) }

    package func follow(_ arrived: @escaping @Sendable () -> Void) { feed.follow(arrived) }

    /// Whether this node has all that was in the log a second ago, and the cluster answers.
    package var isCurrent: Bool { feed.isCurrent(at: Boot.milliseconds) && state.isInformed }

    /// The next entry was removed from the log: only a snapshot leads on.
    package var isTooFarBehind: Bool {
        feed.isTooFarBehind && !hasEnded.load(ordering: .relaxed)
    }

    /// The servers lost what they had confirmed: the log is not the one that this node has followed.
    package var hasGoneBack: Bool {
        feed.hasGoneBack && !hasEnded.load(ordering: .relaxed)
    }

    /// Ends the log after this entry, for all nodes and for good. False if others have written
    /// meanwhile. Blocks.
    func end(after last: Int64, as node: String) throws(ClusterFault) -> Bool {
        hasEnded.store(true, ordering: .relaxed)
        var isOurs = false
        defer { hasEnded.store(isOurs, ordering: .relaxed) }
        switch try BoundaryWriting(jetStream: jetStream).write(.end(node: node), after: last) {
        case .written: isOurs = true
        case .outdated: break
        case .unknown: throw .noAnswer
        }
        return isOurs
    }

    package func tell(_ bytes: [UInt8]) {
        // A connection that is lost tells nobody anything.
        try? jetStream.connection.publish(Self.passed, [], bytes)
    }

    package func listen(_ hear: @escaping @Sendable ([UInt8]) -> Void) {
        let subscription = try? jetStream.connection.subscribe(to: Self.passed) { hear($0.body) }
        self.subscription.withLock { $0 = subscription }
    }

    package var isLead: Bool { state.isLead }

    package func takeNumbers() -> NumberBlock? {
        (try? state.takeNumbers()).flatMap { UInt32(exactly: $0) }.map(NumberBlock.init)
    }

    /// Removes the entries up to this one. False if nobody knows whether that was done.
    func trim(through number: Int64) -> Bool {
        guard case .done = jetStream.purge(before: number + 1, of: LogFeed.stream) else {
            return false
        }
        return true
    }

    func connectionReturned() { feed.handle(.connectionReturned) }

    func tick() { feed.handle(.time) }

    func stop() {
        subscription.withLock { $0 = nil }
        feed.stop()
    }

    static var stream: StreamSettings {
        var stream = StreamSettings(name: LogFeed.stream, subjects: [LogFeed.subject])
        stream.toldAt = (LogFeed.subject, LogFeed.told)
        stream.takesBatches = true
        return stream
    }
}

/// What a stream's leader says of it.
struct LogState: Equatable, Sendable {
    let first: Int64
    let last: Int64
    /// Milliseconds since it last heard of so many servers that no other can lead.
    let age: Int64
    /// Milliseconds since 1970, by its clock.
    let time: Int64

    init(first: Int64, last: Int64, age: Int64 = 0, time: Int64 = 0) {
        self.first = first
        self.last = last
        self.age = age
        self.time = time
    }

    /// Nil unless it is the answer to `STREAM.INFO`.
    init?(_ answer: JSONNode) {
        guard let first = answer["state"]?["first_seq"]?.integer,
            let last = answer["state"]?["last_seq"]?.integer,
            let time = answer["ts"]?.text.flatMap(ServerTime.milliseconds)
        else { return nil }
        self.init(first: first, last: last, age: Self.age(answer["cluster"]), time: time)
    }

    /// A leader that is cut off answers for ten more seconds. It also says, in nanoseconds, when it
    /// last heard of each of the others.
    private static func age(_ cluster: JSONNode?) -> Int64 {
        guard let others = cluster?["replicas"]?.elements, !others.isEmpty else { return 0 }
        let ages = others.map { $0["active"]?.integer ?? .max }.sorted()
        // With this many others it is the majority.
        return ages[(others.count + 1) / 2 - 1] / 1_000_000
    }
}

/// How servers write a moment: `2026-11-27T06:35:30.636905416Z` (RFC 3339 section 5.6, in UTC).
enum ServerTime {
    /// Milliseconds since 1970; nil if it is no such text.
    static func milliseconds(_ text: String) -> Int64? {
        let parts = text.split(whereSeparator: { "-T:.Z".contains($0) })
        guard text.hasSuffix("Z"), 6...7 ~= parts.count else { return nil }
        let numbers = parts.prefix(6).compactMap { Int64($0) }
        guard numbers.count == 6, 1970...9999 ~= numbers[0], 1...12 ~= numbers[1],
            1...31 ~= numbers[2], 0..<24 ~= numbers[3], 0..<60 ~= numbers[4], 0...60 ~= numbers[5]
        else { return nil }
        let fraction = parts.count == 7 ? (String(parts[6].prefix(3)) + "00").prefix(3) : "0"
        guard let rest = Int64(fraction) else { return nil }
        let days = CivilTime.days(to: numbers[0], numbers[1], numbers[2])
        return (((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) * 1_000 + rest
    }
}

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
