import Mailbox
import System

/// Follows the log: what the servers tell of it, and what is read of it where they did not.
final class LogFeed: Sendable {
    static let stream = "BW_LOG"
    static let subject = "bw.log"
    static let told = "bw.told.log"

    /// One read gets so much.
    private static let pageEntries = 128
    private static let pageBytes = 4 << 20
    /// Of the leader, in milliseconds.
    private static let answerPatience: Int64 = 600

    static var settings: StreamSettings {
        var stream = StreamSettings(name: Self.stream, subjects: [Self.subject])
        stream.toldAt = (Self.subject, Self.told)
        stream.takesBatches = true
        return stream
    }

    private let jetStream: JetStream
    private let inbox = Lock(LogInbox())
    private let follower = Subscriber<Void, Void>()
    private let subscription = Lock<NatsSubscription?>(nil)
    /// Of the entry that is being appended here.
    private let race = Lock<AppendRace?>(nil)

    init(_ jetStream: JetStream) throws(NatsError) {
        self.jetStream = jetStream
        let subscription = try jetStream.connection.subscribe(to: Self.told) {
            [weak self] message in
            guard let message = StreamMessage(message) else { return }
            self?.handle(.told(message.sequence), [message])
        }
        self.subscription.withLock { $0 = subscription }
    }

    func follow(_ arrived: @escaping @Sendable () -> Void) { follower.set { arrived() } }

    func stop() { subscription.withLock { $0 = nil } }

    var isTooFarBehind: Bool { inbox.withLock { $0.follower.isTooFarBehind } }

    var hasGoneBack: Bool { inbox.withLock { $0.follower.hasGoneBack } }

    /// Whether it is certain enough that the log is the one that this node has followed.
    var isSound: Bool { inbox.withLock { $0.follower.isSound } }

    private var hasReceived: Bool { inbox.withLock { $0.follower.received ?? 0 > 0 } }

    func isCurrent(at now: Int64) -> Bool { inbox.withLock { $0.follower.isCurrent(at: now) } }

    func take(after last: Int64) -> [NumberedEntry] {
        let entries = inbox.withLock { $0.take(after: last) }
        handle(.time)
        return entries
    }

    /// Between the two, the own entry wakes nobody.
    func begin(_ entry: CommitEntry, after last: Int64, _ race: AppendRace) {
        self.race.withLock { $0 = race }
        perform(inbox.withLock { $0.begin(entry, after: last) })
    }

    func end(_ answer: CommitAnswer) {
        race.withLock { $0 = nil }
        perform(inbox.withLock { $0.end(answer, at: Boot.milliseconds) })
    }

    func handle(_ event: LogFollower.Event, _ messages: [StreamMessage] = []) {
        let messages = Dictionary(messages.map { ($0.sequence, $0) }, uniquingKeysWith: { $1 })
        perform(inbox.withLock { $0.handle(event, messages, at: Boot.milliseconds) })
    }

    /// Outside of the lock, because an answer may come at once.
    private func perform(_ outcome: LogInbox.Outcome) {
        for action in outcome.actions {
            switch action {
            case .take, .compare: break
            case .read(let from): read(from)
            case .ask: ask()
            }
        }
        if let name = outcome.overtaken { race.withLock { $0 }?.isOvertaken(name) }
        if outcome.hasNews { follower.call(()) }
    }

    private func read(_ from: Int64) {
        let request = DirectGet.following(from, batch: Self.pageEntries, bytes: Self.pageBytes)
        jetStream.get(request, of: Self.stream) { [weak self] outcome in
            switch outcome {
            case .messages(let messages):
                self?.handle(.page(from: from, messages.map(\.sequence)), messages)
            case .lost: self?.handle(.unreadable(from: from))
            }
        }
    }

    private func ask() {
        jetStream.describe(Self.stream, patience: Self.answerPatience) { [weak self] answer in
            switch answer {
            case .done(let document):
                self?.handle(LogState(document.root).map { .state($0) } ?? .unanswered)
            // The servers lost all of it, if there was anything.
            case .refused(_, JetStreamError.noStream) where self?.hasReceived == true:
                self?.handle(.state(LogState(first: 0, last: 0)))
            default: self?.handle(.unanswered)
            }
        }
    }
}

/// What was received of the log and is not taken yet: a value, which asks no clock.
struct LogInbox {
    /// More is read only when some of it was taken.
    private static let mostEntries = 4_096
    private static let mostBytes = 32 << 20

    private(set) var follower = LogFollower()
    private var collector = LogPartCollector()
    private var entries: [NumberedEntry] = []
    private var bytes = 0
    /// Everything after it is in `entries`, as far as it was received.
    private var start: Int64 = 0
    /// The entry that is being appended here. Nobody waits for its arrival.
    private var own: UInt64?
    /// What the message that was received last is.
    private var mark: (sequence: Int64, text: String)?

    struct Outcome {
        var actions: [LogFollower.Action] = []
        var hasNews = false
        /// Another entry is where this one, which is being appended here, was to be. Its name goes
        /// along, because it may be the next one's turn before anybody acts on that.
        var overtaken: UInt64?
    }

    /// `messages` are those of the event, by sequence.
    mutating func handle(
        _ event: LogFollower.Event, _ messages: [Int64: StreamMessage] = [:], at now: Int64
    ) -> Outcome {
        var outcome = Outcome()
        for action in follower.handle(event, at: now) {
            if case .compare(let sequence) = action { compare(messages[sequence]) }
            guard case .take(let sequence) = action else {
                outcome.actions.append(action)
                continue
            }
            // What comes after a boundary is not for whoever has not crossed it.
            guard !follower.isTooFarBehind, !follower.hasGoneBack,
                let message = messages[sequence]
            else { continue }
            mark = (sequence, Self.text(message))
            if message.message[LogBoundary.name] != nil { follower.meetBoundary() }
            guard let entry = collector.receive(message) else { continue }
            put(entry)
            if entry.entry.name != own { outcome.hasNews = true }
        }
        outcome.overtaken = overtaken
        return outcome
    }

    /// Two entries never have the same name.
    private static func text(_ message: StreamMessage) -> String {
        message.message[LogPart.name] ?? message.message[LogBoundary.name] ?? ""
    }

    private mutating func compare(_ message: StreamMessage?) {
        guard let message else { return }
        guard let mark, mark.sequence == message.sequence else {
            // Nothing was received since the start.
            self.mark = (message.sequence, Self.text(message))
            return
        }
        if mark.text != Self.text(message) { follower.meetOtherLog() }
    }

    private var overtaken: UInt64? {
        guard let own, let first = entries.first, first.entry.name != own else { return nil }
        return own
    }

    /// The entries after `last`, which whoever asks has.
    mutating func take(after last: Int64) -> [NumberedEntry] {
        moveTo(last)
        return entries
    }

    /// There may be an entry already where this one is to be.
    mutating func begin(_ entry: CommitEntry, after last: Int64) -> Outcome {
        moveTo(last)
        own = entry.name
        return Outcome(overtaken: overtaken)
    }

    /// True if entries wait that nobody was told of.
    mutating func end(_ answer: CommitAnswer, at now: Int64) -> Outcome {
        let name = own
        own = nil
        guard case .appended(let sequence) = answer else {
            return Outcome(hasNews: !entries.isEmpty)
        }
        let outcome = handle(.appended(sequence), at: now)
        if let name, follower.received == sequence { mark = (sequence, LogPart.text(name)) }
        moveTo(sequence)
        return outcome
    }

    /// Follows from there: again what was received before, if whoever asks has lost it.
    private mutating func moveTo(_ last: Int64) {
        // A copy of a store is beyond the boundary.
        let hasCrossed = follower.isTooFarBehind && last > start
        if last < start || last > follower.received ?? -1 || hasCrossed {
            follower.start(after: last)
            (collector, entries, bytes) = (LogPartCollector(), [], 0)
        } else {
            let done = entries.prefix { $0.number <= last }
            bytes -= done.reduce(0) { $0 + $1.bytes }
            entries.removeFirst(done.count)
        }
        start = last
        follower.carriedOut(through: last)
        judge()
    }

    private mutating func put(_ entry: NumberedEntry) {
        entries.append(entry)
        bytes += entry.bytes
        judge()
    }

    private mutating func judge() {
        follower.isFull = entries.count >= Self.mostEntries || bytes >= Self.mostBytes
    }
}

extension NumberedEntry {
    fileprivate var bytes: Int { entry.changes.count + entry.news.count }
}
