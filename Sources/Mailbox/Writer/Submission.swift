import Delivery

/// An operation and where its answer goes. It is passed on by reference, and never copied.
final class Submission: Sendable {
    let operation: StoreOperation
    let ticket: UInt64
    let sink: any StoreSink
    /// The message that room was reserved for.
    let message: Message?
    /// The size of the operation in the queue. It is computed once, because each look into an
    /// operation copies it.
    let size: Int
    let isOfSession: Bool
    let engineWork: Int

    init(operation: StoreOperation, ticket: UInt64, sink: any StoreSink) {
        self.operation = operation
        self.ticket = ticket
        self.sink = sink
        message = operation.message
        size = operation.size
        isOfSession = operation.isOfSession
        engineWork = operation.engineWork
    }
}

extension StoreOperation {
    /// Whether nothing may be left of what it removes.
    var forgets: Bool {
        switch self {
        case .forgetCredential, .forgetOwner: true
        default: false
        }
    }

    fileprivate var message: Message? {
        switch self {
        case .store(let message): message
        case .registration(let operation, _): operation.message
        default: nil
        }
    }

    /// Whether a session of a user agent or engine client asks for it, rather than a sender.
    fileprivate var isOfSession: Bool {
        switch self {
        case .acknowledge, .acknowledgeByID, .addDevice, .touchDevice, .touchCredential, .register,
            .retireDevice, .unregister:
            true
        case .engine(.request), .engine(.join), .engine(.release), .engine(.confirm): true
        default: false
        }
    }

    /// Roughly how much work it is for an engine; long requests count for more.
    fileprivate var engineWork: Int {
        switch self {
        case .engine(.request(_, let text)): 1 + text.count / Self.engineUnit
        case .engine: 1
        default: 0
        }
    }

    private static let engineUnit = 4 << 10

    fileprivate var size: Int {
        switch self {
        case .callback(let operation): operation.size
        case .forward(let operation): operation.size
        case .engine(.request(_, let text)): text.count
        case .registration(let operation, let callbacks):
            callbacks.reduce(operation.message?.size ?? 0) { $0 + $1.size }
        default: message?.size ?? 0
        }
    }
}

extension [Submission] {
    private static var engineShare: Int { 16 }

    /// Engine work can take a fraction of a millisecond, and all pushes in the same commit wait for it.
    /// So only a limited share of it goes into each commit; returns the rest, in order.
    mutating func splitOffEngineWork() -> [Submission] {
        guard reduce(0, { $0 + $1.engineWork }) > Self.engineShare else { return [] }
        var (now, later, share) = ([Submission](), [Submission](), Self.engineShare)
        for submission in self {
            let work = submission.engineWork
            // An operation larger than the share is committed alone.
            if work > 0, share <= 0 || !later.isEmpty {
                later.append(submission)
            } else {
                share -= work
                now.append(submission)
            }
        }
        self = now
        return later
    }
}

extension ArraySlice<Submission> {
    /// Releases what was reserved for messages that the store did not take.
    func endReservations() {
        for submission in self { submission.message?.reservation.end() }
    }
}

/// Answers on their way, one lot for each sink.
struct Deliveries {
    private var lots: [(sink: any StoreSink, completions: [CompletedOperation])] = []

    mutating func add(_ submissions: ArraySlice<Submission>, _ outcomes: [StoreOutcome]) {
        for (submission, outcome) in zip(submissions, outcomes) { add(submission, outcome) }
    }

    mutating func add(_ submission: Submission, _ outcome: StoreOutcome) {
        let completion = CompletedOperation(ticket: submission.ticket, outcome: outcome)
        // There are as many sinks as loops: few.
        if let index = lots.firstIndex(where: { $0.sink === submission.sink }) {
            lots[index].completions.append(completion)
        } else {
            lots.append((submission.sink, [completion]))
        }
    }

    consuming func send() {
        for lot in lots { lot.sink.completed(lot.completions) }
    }
}

/// What waits for the writer, and what it took but has not answered yet.
struct WriterQueue {
    private struct Load {
        private(set) var operations = 0
        private(set) var bytes = 0

        func hasRoom(for submission: Submission, operations limit: Int, bytes byteLimit: Int)
            -> Bool
        {
            operations < limit && bytes + submission.size <= byteLimit
        }

        mutating func add(_ submission: Submission) {
            operations += 1
            bytes += submission.size
        }

        static func -= (load: inout Load, other: Load) {
            load.operations -= other.operations
            load.bytes -= other.bytes
        }
    }

    var waiting: [Submission] = []
    /// The writer sleeps until this many wait.
    var awaited = 1
    private var all = Load()
    /// The part of it that comes from sessions.
    private var ofSessions = Load()
    var isClosed = false
    /// There is work that no operation asked for.
    var isWoken = false

    /// False, and nothing is kept, if there is no room.
    mutating func put(_ submission: Submission, within limits: StoreLimits) -> Bool {
        let (count, bytes) = (limits.queuedOperations, limits.queuedBytes)
        guard !isClosed, all.hasRoom(for: submission, operations: count, bytes: bytes),
            // Sessions wait and ask again; senders would be refused, so half is left to them.
            !submission.isOfSession
                || ofSessions.hasRoom(for: submission, operations: count / 2, bytes: bytes / 2)
        else { return false }
        all.add(submission)
        if submission.isOfSession { ofSessions.add(submission) }
        waiting.append(submission)
        return true
    }

    /// Moves everything that waits. The next operation wakes the writer again.
    mutating func move(to taken: inout [Submission]) {
        taken += waiting
        waiting.removeAll(keepingCapacity: true)
        awaited = 1
    }

    /// Removes finished operations from the counts.
    mutating func settle(_ submissions: ArraySlice<Submission>) {
        var (done, ofSessions) = (Load(), Load())
        for submission in submissions {
            done.add(submission)
            if submission.isOfSession { ofSessions.add(submission) }
        }
        all -= done
        self.ofSessions -= ofSessions
    }
}

/// How many operations there were in the last rounds.
struct RecentRounds {
    private static let kept = 8
    /// After this many milliseconds new operations have nothing to do with former ones.
    private static let soon: Int64 = 5

    private var counts: [Int] = []
    private var last = Int64.min / 2

    /// Zero if the last one was long ago.
    func largest(at now: Int64) -> Int { now - last <= Self.soon ? counts.max() ?? 0 : 0 }

    mutating func add(_ count: Int, at now: Int64) {
        if now - last > Self.soon { counts.removeAll(keepingCapacity: true) }
        if counts.count == Self.kept { counts.removeFirst() }
        counts.append(count)
        last = now
    }
}
