import Mailbox
import System

/// Brings one entry into the log, or finds out that others were first.
struct LogAppending {
    private static let attempts: Int64 = 3
    /// In milliseconds: for an attempt, and between two.
    private static let patience: Int64 = 1_000
    private static let pause: UInt32 = 50
    /// A long entry has more time: so many bytes in each millisecond.
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
        self.jetStream = jetStream
        self.race = race
        name = LogPart.name(of: entry)
        own = LogPart.fields(of: entry)
        bodies = LogPart.bodies(entry, longest: longest)
        self.last = last
        let length = bodies.reduce(0) { $0 + $1.count }
        patience = Self.patience + Int64(length) / Self.speed
    }

    /// Blocks until it is known, at most for some seconds.
    ///
    /// A repetition of what is stored already is recognised by its name. So the same entry is sent
    /// until there is an answer.
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
            // By an earlier attempt, or by another node.
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
            // The servers refuse the batch when its end comes without all of it.
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

    /// Which entry came next; nil if it cannot be seen.
    private func lookUp() -> CommitAnswer? {
        let request = DirectGet.following(last + 1, batch: 1, bytes: jetStream.connection.longest)
        guard case .messages(let messages) = jetStream.get(request, of: LogFeed.stream),
            let next = messages.first, next.sequence == last + 1
        else { return nil }
        return next.message[LogPart.name] == name
            ? .appended(last + Int64(bodies.count)) : .outdated
    }
}

/// How an attempt to append ends: the leader answers, or the node hears that another entry came
/// first. Then it need not wait for an answer that may be lost.
final class AppendRace: Sendable {
    enum Ending: Sendable {
        case answered(PublishAnswer)
        case overtaken
    }

    private struct State {
        var attempt = 0
        var ending: Ending?
    }

    /// The entry's.
    private let name: UInt64
    private let state = Monitor(State())

    init(of name: UInt64) { self.name = name }

    /// Another entry is where the one of this name was to be. The news of a former one may be late.
    func isOvertaken(_ name: UInt64) {
        guard name == self.name else { return }
        state.withLock { $0.ending = .overtaken }
        state.signal()
    }

    /// Begins an attempt with `send`, and waits for its end. An answer to a former attempt comes too
    /// late, because it may be older than what was sent since.
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
        // The request is given up by then.
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
