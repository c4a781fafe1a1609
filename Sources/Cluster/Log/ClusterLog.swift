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
    private let record: ClusterRecord
    /// This node has ended the log.
    private let hasEnded = Atomic(false)

    init(_ jetStream: JetStream, _ record: ClusterRecord) throws(NatsError) {
        self.jetStream = jetStream
        self.record = record
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
    package var isCurrent: Bool { feed.isCurrent(at: Boot.milliseconds) && record.isInformed }

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

    package var isLead: Bool { record.isLead }

    package func takeNumbers() -> NumberBlock? {
        (try? record.takeNumbers()).flatMap { UInt32(exactly: $0) }.map(NumberBlock.init)
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
