import Mailbox
import System

/// Follows the log. The servers tell of new messages; the feed reads what it was not told.
final class LogFeed: Sendable {
    static let stream = "BW_LOG"
    static let subject = "bw.log"
    static let told = "bw.told.log"

    /// The most messages and bytes of one read.
    private static let pageEntries = 128
    private static let pageBytes = 4 << 20
    /// How long the log's leader may take to answer, in milliseconds.
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
    /// The attempt to append an entry of this node; nil while there is none.
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

    /// Call this before an entry of this node is appended, and `end` afterwards: meanwhile the
    /// arrival of that entry does not wake the writer.
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

    /// Called without the lock, because an answer may come at once.
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
            // There is no stream: the servers have lost what this node received.
            case .refused(_, JetStreamError.noStream) where self?.hasReceived == true:
                self?.handle(.state(LogState(first: 0, last: 0)))
            default: self?.handle(.unanswered)
            }
        }
    }
}

/// The entries that were received and that the writer has not taken yet: a value, which asks no
/// clock.
struct LogInbox {
    /// When so much waits, nothing more is read until the writer has taken some.
    private static let mostEntries = 4_096
    private static let mostBytes = 32 << 20

    private(set) var follower = LogFollower()
    private var collector = LogPartCollector()
    private var entries: [NumberedEntry] = []
    private var bytes = 0
    /// The last entry that the store has. What was received after it is in `entries`.
    private var start: Int64 = 0
    /// The name of the entry that this node is appending. Its arrival is no news.
    private var own: UInt64?
    /// The message that was received last: its number, and the name by which it is compared.
    private var mark: (sequence: Int64, text: String)?

    struct Outcome {
        var actions: [LogFollower.Action] = []
        var hasNews = false
        /// The entry of this name, which this node is appending, has lost: another entry has taken
        /// its number. The name is here because the node may be appending its next entry before
        /// this is read.
        var overtaken: UInt64?
    }

    /// `messages` are the messages of the event, by their numbers.
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
            // Entries after a boundary are only for a store that has come across it.
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
            // Since the start of this node no message was received that could be compared.
            self.mark = (message.sequence, Self.text(message))
            return
        }
        if mark.text != Self.text(message) { follower.meetOtherLog() }
    }

    private var overtaken: UInt64? {
        guard let own, let first = entries.first, first.entry.name != own else { return nil }
        return own
    }

    /// The entries after `last`, the last one that the store has.
    mutating func take(after last: Int64) -> [NumberedEntry] {
        moveTo(last)
        return entries
    }

    /// Begins to append `entry` after `last`. The number that it is to get may be taken already.
    mutating func begin(_ entry: CommitEntry, after last: Int64) -> Outcome {
        moveTo(last)
        own = entry.name
        return Outcome(overtaken: overtaken)
    }

    /// Ends the attempt. Its outcome has news if entries arrived meanwhile, of which the writer was
    /// not told.
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

    /// Follows the log from `last` on. If the store has lost entries, as after a power cut, they
    /// are read again.
    private mutating func moveTo(_ last: Int64) {
        // The store has become a copy of another one, which has come across the boundary.
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
