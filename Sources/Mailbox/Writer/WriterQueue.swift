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
