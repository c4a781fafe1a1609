/// How a node follows the log that all nodes write: a value, which asks no clock.
///
/// Messages are told as they are written, which may fail. So the log's leader is also asked
/// regularly for its last message, which tells at the same time whether this node is cut off.
///
/// Servers that come back with less than they had confirmed have another log from there on. So after
/// each silence the message that was received last is compared with what is there now.
struct LogFollower {
    enum Event {
        /// A message was told, without being asked for.
        case told(Int64)
        /// An answer to `read`: these messages were found there.
        case page(from: Int64, [Int64])
        /// The read failed.
        case unreadable(from: Int64)
        /// What the log's leader says.
        case state(LogState)
        /// The leader did not answer.
        case unanswered
        /// A message of our own was stored after the one that was received last.
        case appended(Int64)
        case connectionReturned
        case time
    }

    enum Action: Equatable {
        /// It is the next one.
        case take(Int64)
        case read(from: Int64)
        /// It was received before: what was read has to be the same.
        case compare(Int64)
        case ask
    }

    /// In milliseconds.
    static let patience: Int64 = 1_000
    /// The servers hear of each other once in a second while nothing is written.
    static let leaderPatience: Int64 = 1_800
    private static let askInterval: Int64 = 300
    private static let mostAnswers = 8
    /// A server that does not have a message yet is asked again after this time.
    private static let readInterval: Int64 = 50
    /// After so long without the leader's word, another log may be there.
    private static let silence: Int64 = 2_000
    /// A leader that lacks something for so long does not get it any more.
    private static let lackPatience: Int64 = 5_000

    /// Every message up to this one was received. Nil before anybody wants to follow.
    private(set) var received: Int64?
    /// Messages that come next were removed from the log, or it cannot be followed across one.
    private(set) var isTooFarBehind = false
    /// The log lacks what this node has of it, or has something else there.
    private(set) var hasGoneBack = false
    /// Nothing counts until the message that was received last was compared.
    private(set) var mustCompare = false
    /// As many as there is room for were received and not taken.
    var isFull = false
    private var isReading = false
    private var isAsking = false
    /// Known to exist.
    private var last: Int64 = 0
    private var readAt: Int64 = .min
    private var askAt: Int64 = .min
    private var askedAt: Int64 = .min
    /// What the leader answered, by when it was asked: not all of that was carried out yet.
    private var answers: [(last: Int64, askedAt: Int64)] = []
    private var carriedOut: Int64 = 0
    /// When the leader was asked what it answered, and all of that was carried out.
    private var currentAt: Int64 = .min
    /// When the leader certainly led.
    private var ledAt: Int64 = .min
    /// The first message that the log still has.
    private var first: Int64 = 0
    /// When the leader answered last.
    private var answeredAt: Int64?
    /// What was received when it was asked.
    private var receivedThen: Int64 = 0
    /// Since when it lacks some of that.
    private var lacksSince: Int64?

    /// Whether this node has carried out all that was in the log a second ago.
    func isCurrent(at now: Int64) -> Bool {
        isSound && !isTooFarBehind && currentAt > .min && now - currentAt <= Self.patience
            && now - ledAt <= Self.leaderPatience
    }

    /// Whether the log is the one that this node knows, as far as that can be seen.
    var isSound: Bool { !hasGoneBack && !mustCompare }

    /// Follows from there on: whoever asks has everything up to `last`.
    mutating func start(after last: Int64) {
        if received != last { mustCompare = false }
        received = last
        (isReading, isTooFarBehind, readAt) = (false, false, .min)
        carriedOut = last
        self.last = max(self.last, last)
    }

    /// Whoever follows has everything up to `last`.
    mutating func carriedOut(through last: Int64) {
        carriedOut = last
        look()
    }

    /// The message that was received last is a boundary.
    mutating func meetBoundary() { isTooFarBehind = true }

    /// What was compared is not the same.
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

    /// A leader that is cut off says what it knows, too.
    private mutating func receive(_ state: LogState, _ now: Int64) {
        if state.last < receivedThen {
            guard state.age <= Self.leaderPatience else { return }
            // Another server may have had a message a moment before it.
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
        // Those that waited longer would say less.
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
            // What was removed since cannot be compared.
            if sequences.first == from { actions.append(.compare(from)) }
            if !sequences.isEmpty || first > from { mustCompare = false }
        }
        for sequence in sequences { receive(sequence, &actions) }
        // Nothing is ever removed from the middle.
        if let received, let first = sequences.first, first > received + 1, from <= received + 1 {
            isTooFarBehind = true
        }
    }

    /// What was asked for may have been told meanwhile. If a former read has failed, one too many
    /// is begun, which does no harm.
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
