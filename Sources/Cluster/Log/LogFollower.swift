/// How a node follows the log that all nodes write: a value, which asks no clock.
///
/// The servers tell of each message that is written, but that may get lost. So the node also asks
/// the log's leader regularly for the number of the last message. The answer shows at the same time
/// that the node is not cut off.
///
/// Servers that come back with less than they had confirmed go on with another log. So after each
/// silence the node reads the message again that it had received last, and compares the two.
struct LogFollower {
    enum Event {
        /// The servers told of a message.
        case told(Int64)
        /// The answer to `read`: the numbers of the messages that were found.
        case page(from: Int64, [Int64])
        /// The read failed.
        case unreadable(from: Int64)
        /// What the log's leader says.
        case state(LogState)
        /// The leader did not answer.
        case unanswered
        /// A message of this node was stored, right after the one that was received last.
        case appended(Int64)
        case connectionReturned
        case time
    }

    enum Action: Equatable {
        /// The message of this number is the next one.
        case take(Int64)
        case read(from: Int64)
        /// The message of this number was received before. What was read now has to be the same.
        case compare(Int64)
        case ask
    }

    /// In milliseconds.
    static let patience: Int64 = 1_000
    /// While nothing is written, the servers hear of each other once in a second.
    static let leaderPatience: Int64 = 1_800
    private static let askInterval: Int64 = 300
    private static let mostAnswers = 8
    /// A server that does not have a message yet is asked again after this time.
    private static let readInterval: Int64 = 50
    /// After so long without an answer of the leader, another log may be there.
    private static let silence: Int64 = 2_000
    /// A leader that has lacked a message for so long will not get that message any more.
    private static let lackPatience: Int64 = 5_000

    /// Every message up to this one was received. Nil before `start`.
    private(set) var received: Int64?
    /// The next messages were removed from the log, or the message received last is a boundary.
    private(set) var isTooFarBehind = false
    /// The log lacks messages that this node has received, or has others in their place.
    private(set) var hasGoneBack = false
    /// Nothing counts until the message that was received last was compared.
    private(set) var mustCompare = false
    /// So many messages wait for the writer that there is no room for more.
    var isFull = false
    private var isReading = false
    private var isAsking = false
    /// The last message that is known to exist.
    private var last: Int64 = 0
    private var readAt: Int64 = .min
    private var askAt: Int64 = .min
    private var askedAt: Int64 = .min
    /// Answers of the leader, oldest first, that name messages which the store does not have yet.
    private var answers: [(last: Int64, askedAt: Int64)] = []
    private var carriedOut: Int64 = 0
    /// When the leader was asked for the newest answer of which the store has everything.
    private var currentAt: Int64 = .min
    /// When the leader certainly led.
    private var ledAt: Int64 = .min
    /// The first message that the log still has.
    private var first: Int64 = 0
    /// When the leader answered last.
    private var answeredAt: Int64?
    /// `received` when the leader was asked last.
    private var receivedThen: Int64 = 0
    /// Since when the leader lacks messages that this node had received.
    private var lacksSince: Int64?

    /// Whether the store has everything that was in the log a second ago.
    func isCurrent(at now: Int64) -> Bool {
        isSound && !isTooFarBehind && currentAt > .min && now - currentAt <= Self.patience
            && now - ledAt <= Self.leaderPatience
    }

    /// Whether the log is still the one that this node has followed, as far as that can be seen.
    var isSound: Bool { !hasGoneBack && !mustCompare }

    /// Follows the log from `last` on, the last message that the store has.
    mutating func start(after last: Int64) {
        if received != last { mustCompare = false }
        received = last
        (isReading, isTooFarBehind, readAt) = (false, false, .min)
        carriedOut = last
        self.last = max(self.last, last)
    }

    /// The store has everything up to `last`.
    mutating func carriedOut(through last: Int64) {
        carriedOut = last
        look()
    }

    /// The message that was received last is a boundary.
    mutating func meetBoundary() { isTooFarBehind = true }

    /// The message that was read again is not the one that had been received.
    mutating func meetOtherLog() { hasGoneBack = true }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .told(let sequence): receive(sequence, &actions)
        case .page(let from, let sequences): receive(sequences, from, now, &actions)
        case .unreadable: readFailed(now)
        case .state(let state):
            isAsking = false
            receive(state, now)
        case .unanswered: isAsking = false
        case .appended(let sequence):
            last = max(last, sequence)
            if let received { self.received = max(received, sequence) }
        case .connectionReturned:
            (isReading, isAsking, askAt, readAt) = (false, false, now, now)
            compare()
        case .time: break
        }
        look()
        catchUp(now, &actions)
        ask(now, &actions)
        return actions
    }

    /// `state` may come from a leader that is cut off: its age tells.
    private mutating func receive(_ state: LogState, _ now: Int64) {
        if state.last < receivedThen {
            guard state.age <= Self.leaderPatience else { return }
            // Another server may have told of the message a moment before the leader has it.
            guard let lacksSince else {
                lacksSince = now
                return
            }
            compare()
            if now - lacksSince >= Self.lackPatience { hasGoneBack = true }
            return
        }
        let wasSilent = answeredAt.map { now - $0 > Self.silence } ?? false
        if wasSilent || lacksSince != nil { compare() }
        (answeredAt, lacksSince) = (now, nil)
        last = max(last, state.last)
        ledAt = max(ledAt, askedAt - state.age)
        first = max(first, state.first)
        // An older answer names fewer messages, so the newest ones are kept.
        if answers.count == Self.mostAnswers { answers.removeFirst() }
        answers.append((state.last, askedAt))
    }

    private mutating func compare() {
        guard received ?? 0 > 0 else { return }
        mustCompare = true
    }

    private mutating func receive(_ sequence: Int64, _ actions: inout [Action]) {
        last = max(last, sequence)
        guard !isFull, !mustCompare, let received, sequence == received + 1 else { return }
        self.received = sequence
        actions.append(.take(sequence))
    }

    private mutating func receive(
        _ sequences: [Int64], _ from: Int64, _ now: Int64, _ actions: inout [Action]
    ) {
        guard isReading else { return }
        isReading = false
        if sequences.isEmpty { readAt = now + Self.readInterval }
        if mustCompare, from == received {
            // A message that was removed meanwhile cannot be compared.
            if sequences.first == from { actions.append(.compare(from)) }
            if !sequences.isEmpty || first > from { mustCompare = false }
        }
        for sequence in sequences { receive(sequence, &actions) }
        // The log is only shortened at its beginning, so a gap means that the next entries are
        // gone.
        if let received, let first = sequences.first, first > received + 1, from <= received + 1 {
            isTooFarBehind = true
        }
    }

    /// The servers may have told of these messages meanwhile. If a former read has failed, one read
    /// too many is begun, which does no harm.
    private mutating func readFailed(_ now: Int64) {
        guard isReading else { return }
        (isReading, readAt) = (false, now + Self.readInterval)
    }

    private mutating func catchUp(_ now: Int64, _ actions: inout [Action]) {
        guard let received, last > received || mustCompare, !isFull || mustCompare, !isReading,
            !isTooFarBehind, !hasGoneBack, now >= readAt
        else { return }
        isReading = true
        actions.append(.read(from: mustCompare ? received : received + 1))
    }

    private mutating func ask(_ now: Int64, _ actions: inout [Action]) {
        guard received != nil, !isAsking, now >= askAt else { return }
        (isAsking, askedAt, askAt) = (true, now, now + Self.askInterval)
        receivedThen = received ?? 0
        actions.append(.ask)
    }

    private mutating func look() {
        guard let received else { return }
        if first > received + 1 { isTooFarBehind = true }
        while let answer = answers.first, answer.last <= carriedOut {
            currentAt = max(currentAt, answer.askedAt)
            answers.removeFirst()
        }
    }
}
