package import Mailbox
import Synchronization
import System

/// The log of a cluster's stores: a stream of which the servers have copies.
///
/// Following begins with the first call of `append` or `entries`, which says what the store has.
package final class ClusterLog: CommitLog {
    /// Room for the fields that the servers add to a message when they tell of it.
    private static let reserve = 64 << 10

    /// In milliseconds.
    private static let pause: UInt32 = 20

    /// The subject of messages that no stream keeps.
    private static let passed = "bw.now"

    private let jetStream: JetStream
    private let subscription = Lock<NatsSubscription?>(nil)
    private let feed: LogFeed
    private let state: ClusterState
    /// This node has ended the log.
    private let hasEnded = Atomic(false)

    init(_ jetStream: JetStream, _ state: ClusterState) throws(NatsError) {
        (self.jetStream, self.state) = (jetStream, state)
        feed = try LogFeed(jetStream)
    }

    package func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer {
        guard feed.isSound else {
            WorkPause.milliseconds(Self.pause)
            // Nothing was written. The pause keeps the writer from trying again at once, for ever.
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
        // If this fails, the writer asks again.
        try? jetStream.connection.publish(
            LogFeed.subject, LogPart.fields(of: entry),
            LogPart.bodies(entry, longest: .max)[0])
    }

    package func entries(after last: Int64) -> [NumberedEntry] { feed.take(after: last) }

    package func follow(_ arrived: @escaping @Sendable () -> Void) { feed.follow(arrived) }

    /// Whether the store has all that was in the log a second ago, and the cluster answers.
    package var isCurrent: Bool { feed.isCurrent(at: Boot.milliseconds) && state.isInformed }

    /// The next entry was removed from the log: the node can only go on with a copy of another
    /// store.
    package var isTooFarBehind: Bool {
        feed.isTooFarBehind && !hasEnded.load(ordering: .relaxed)
    }

    /// The servers lost what they had confirmed: the log is not the one that this node has followed.
    package var hasGoneBack: Bool {
        feed.hasGoneBack && !hasEnded.load(ordering: .relaxed)
    }

    /// Ends the log after this entry, for all nodes and for good. False if another node has written
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
        // While the connection is lost, the message is lost too.
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

    /// Removes the entries up to this one. False if the servers did not confirm that.
    func trim(through number: Int64) -> Bool {
        let answer = jetStream.purge(before: number + 1, of: LogFeed.stream)
        return if case .done = answer { true } else { false }
    }

    func connectionReturned() { feed.handle(.connectionReturned) }

    func tick() { feed.handle(.time) }

    func stop() {
        subscription.withLock { $0 = nil }
        feed.stop()
    }
}

/// Appends one entry to the log, or finds out that another node was faster.
struct LogAppending {
    private static let attempts: Int64 = 3
    /// In milliseconds: how long an attempt takes at most, and the pause before the next one.
    private static let patience: Int64 = 1_000
    private static let pause: UInt32 = 50
    /// A long entry has more time: a millisecond for so many bytes.
    private static let speed: Int64 = 10_000

    private let jetStream: JetStream
    private let name: String
    private let own: [(String, String)]
    private let bodies: [[UInt8]]
    private let last: Int64
    private let patience: Int64
    private let race: AppendRace

    init(
        _ entry: CommitEntry, after last: Int64, longest: Int, _ jetStream: JetStream,
        _ race: AppendRace
    ) {
        (self.jetStream, self.race, self.last) = (jetStream, race, last)
        name = LogPart.name(of: entry)
        own = LogPart.fields(of: entry)
        bodies = LogPart.bodies(entry, longest: longest)
        let length = bodies.reduce(0) { $0 + $1.count }
        patience = Self.patience + Int64(length) / Self.speed
    }

    /// Blocks until the answer is known, at most for some seconds.
    ///
    /// The servers recognise a repeated entry by its name. So the same entry is sent until there is
    /// an answer.
    func run() -> CommitAnswer {
        let deadline = Boot.milliseconds + Self.attempts * patience
        var isDoubtful = false
        var attempt = 0
        while Boot.milliseconds < deadline {
            attempt += 1
            let ending = race.run(attempt, patience: patience) { publish(attempt, $0) }
            guard case .answered(let answer) = ending else { return .outdated }
            switch answer {
            case .stored(let sequence), .repeated(let sequence): return .appended(sequence)
            case .outdated where !isDoubtful: return .outdated
            // An earlier attempt, or another node, has written this entry number.
            case .outdated, .repeatedBatch: if let answer = lookUp() { return answer }
            case .unknown: isDoubtful = true
            case .refused: break
            }
            WorkPause.milliseconds(Self.pause)
        }
        return lookUp() ?? .unknown
    }

    private func publish(_ attempt: Int, _ handler: @escaping @Sendable (PublishAnswer) -> Void) {
        let last = ("Nats-Expected-Last-Sequence", String(last))
        guard bodies.count > 1 else {
            return jetStream.publish(
                LogFeed.subject, own + [last, ("Nats-Msg-Id", name)], bodies[0],
                patience: patience, handler)
        }
        for index in 0..<bodies.count - 1 {
            // The servers refuse a batch whose end comes without all of its parts.
            try? jetStream.connection.publish(
                LogFeed.subject, part(index, attempt, index == 0 ? own + [last] : own),
                bodies[index])
        }
        let index = bodies.count - 1
        jetStream.publish(
            LogFeed.subject, part(index, attempt, own + [("Nats-Batch-Commit", "1")]),
            bodies[index], patience: patience, handler)
    }

    private func part(
        _ index: Int, _ attempt: Int, _ fields: [(String, String)]
    ) -> [(String, String)] {
        fields + [
            ("Nats-Batch-Id", "\(name).\(attempt)"), ("Nats-Batch-Sequence", String(index + 1)),
            ("Nats-Msg-Id", "\(name).\(index)"), (LogPart.rest, String(bodies.count - 1 - index)),
        ]
    }

    /// Whether the entry that came next is this one; nil if it cannot be read now.
    private func lookUp() -> CommitAnswer? {
        let request = DirectGet.following(last + 1, batch: 1, bytes: jetStream.connection.longest)
        guard case .messages(let messages) = jetStream.get(request, of: LogFeed.stream),
            let next = messages.first, next.sequence == last + 1
        else { return nil }
        return next.message[LogPart.name] == name
            ? .appended(last + Int64(bodies.count)) : .outdated
    }
}

/// How an attempt to append ends: the log's leader answers, or the node hears that another entry
/// came first. Then the node need not wait for an answer that may be lost.
final class AppendRace: Sendable {
    enum Ending: Sendable {
        case answered(PublishAnswer)
        case overtaken
    }

    private struct State {
        var attempt = 0
        var ending: Ending?
    }

    /// The name of the entry that is appended.
    private let name: UInt64
    private let state = Monitor(State())

    init(of name: UInt64) { self.name = name }

    /// Another entry has taken the number that the entry `name` was to get. This may be said late,
    /// when the next entry is appended already.
    func isOvertaken(_ name: UInt64) {
        guard name == self.name else { return }
        state.withLock { $0.ending = .overtaken }
        state.signal()
    }

    /// Begins an attempt with `send`, and waits for its end. An answer to a former attempt is
    /// ignored, because it may be older than what was sent since.
    func run(
        _ attempt: Int, patience: Int64,
        _ send: (@escaping @Sendable (PublishAnswer) -> Void) -> Void
    ) -> Ending {
        let isOvertaken = state.withLock { state in
            if case .overtaken? = state.ending { return true }
            state = State(attempt: attempt)
            return false
        }
        if isOvertaken { return .overtaken }
        send { [weak self] answer in self?.bring(answer, attempt) }
        // By then the connection has given up the request.
        return state.wait(atMost: patience + 500) { $0.ending } ?? .answered(.unknown)
    }

    private func bring(_ answer: PublishAnswer, _ attempt: Int) {
        state.withLock { state in
            guard state.attempt == attempt, state.ending == nil else { return }
            state.ending = .answered(answer)
        }
        state.signal()
    }
}
