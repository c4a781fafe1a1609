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

    private let jetStream: JetStream
    private let inbox = Lock(LogInbox())
    /// In a box of its own: a function that is read out of something generic is wrapped once more each
    /// time, and so becomes slower and slower.
    private struct Follower {
        let arrived: @Sendable () -> Void
    }

    private let follower = Lock<Follower?>(nil)
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

    func follow(_ arrived: @escaping @Sendable () -> Void) {
        follower.withLock { $0 = Follower(arrived: arrived) }
    }

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
        if outcome.hasNews { follower.withLock { $0 }?.arrived() }
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
