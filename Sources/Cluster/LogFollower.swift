/// How a node follows the log that all nodes write: a value, which asks no clock.
///
/// Entries are told as they are written, which may fail. So the log's leader is also asked regularly
/// for its last entry, which tells at the same time whether this node is cut off.
struct LogFollower {
    struct Entry: Equatable, Sendable {
        let sequence: Int64
        let body: [UInt8]
    }

    enum Event {
        /// An entry was told, without being asked for.
        case told(Entry)
        /// An answer to `read`: entries in order, from the one asked for.
        case page([Entry])
        /// The read failed.
        case unreadable
        /// The log's leader says that this is the last entry.
        case last(Int64)
        /// The leader did not answer.
        case unanswered
        /// An entry of our own was stored.
        case appended(Int64)
        case connectionReturned
        case time
    }

    enum Action: Equatable {
        case apply(Entry)
        case read(from: Int64)
        case ask
        /// Whether this node knows everything that was true a second ago.
        case setCurrent(Bool)
    }

    /// In milliseconds.
    private static let askInterval: Int64 = 300
    private static let patience: Int64 = 1_000
    private static let aheadLimit = 256

    /// The last entry that was applied.
    private(set) var applied: Int64
    private(set) var isCurrent = false
    private var isReading = false
    private var isAsking = false
    /// Known to exist.
    private var last: Int64
    /// Entries that came before their time, by sequence.
    private var ahead: [Int64: Entry] = [:]
    private var askAt: Int64 = .min
    /// When the leader was asked what it last answered, and all was applied.
    private var currentAt: Int64 = .min
    private var askedAt: Int64 = .min
    /// The leader's newest answer.
    private var answer: (last: Int64, askedAt: Int64)?

    init(applied: Int64) {
        self.applied = applied
        last = applied
    }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .told(let entry): receive(entry, &actions)
        case .page(let entries):
            isReading = false
            for entry in entries { receive(entry, &actions) }
        case .unreadable: isReading = false
        case .last(let sequence):
            isAsking = false
            last = max(last, sequence)
            answer = (sequence, askedAt)
        case .unanswered: isAsking = false
        case .appended(let sequence): passed(sequence, &actions)
        case .connectionReturned: (isReading, isAsking, askAt) = (false, false, now)
        case .time: break
        }
        catchUp(&actions)
        ask(now, &actions)
        judge(now, &actions)
        return actions
    }

    /// How long nothing has to be done unless something happens.
    func patience(at now: Int64) -> Int64 { max(0, min(askAt, currentAt + Self.patience) - now) }

    private mutating func receive(_ entry: Entry, _ actions: inout [Action]) {
        last = max(last, entry.sequence)
        guard entry.sequence > applied else { return }
        guard entry.sequence == applied + 1 else {
            if ahead.count < Self.aheadLimit { ahead[entry.sequence] = entry }
            return
        }
        actions.append(.apply(entry))
        passed(entry.sequence, &actions)
    }

    private mutating func passed(_ sequence: Int64, _ actions: inout [Action]) {
        applied = max(applied, sequence)
        last = max(last, applied)
        while let next = ahead.removeValue(forKey: applied + 1) {
            actions.append(.apply(next))
            applied += 1
        }
        ahead = ahead.filter { $0.key > applied }
    }

    private mutating func catchUp(_ actions: inout [Action]) {
        guard last > applied, !isReading else { return }
        isReading = true
        actions.append(.read(from: applied + 1))
    }

    private mutating func ask(_ now: Int64, _ actions: inout [Action]) {
        guard !isAsking, now >= askAt else { return }
        (isAsking, askedAt, askAt) = (true, now, now + Self.askInterval)
        actions.append(.ask)
    }

    private mutating func judge(_ now: Int64, _ actions: inout [Action]) {
        if let answer, applied >= answer.last { currentAt = max(currentAt, answer.askedAt) }
        let isCurrent = currentAt > .min && now - currentAt <= Self.patience
        guard isCurrent != self.isCurrent else { return }
        self.isCurrent = isCurrent
        actions.append(.setCurrent(isCurrent))
    }
}
