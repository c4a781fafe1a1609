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
    private var all = Load()
    /// Of these, what sessions ask for.
    private var ofSessions = Load()
    var isClosed = false
    /// There is work that nobody waits for.
    var isWoken = false

    /// False, and nothing is kept, if there is no room.
    mutating func put(_ submission: Submission, within limits: StoreLimits) -> Bool {
        let (count, bytes) = (limits.queuedOperations, limits.queuedBytes)
        guard !isClosed, all.hasRoom(for: submission, operations: count, bytes: bytes),
            // They wait and ask again; half is left to senders, who would be refused.
            !submission.isOfSession
                || ofSessions.hasRoom(for: submission, operations: count / 2, bytes: bytes / 2)
        else { return false }
        all.add(submission)
        if submission.isOfSession { ofSessions.add(submission) }
        waiting.append(submission)
        return true
    }

    /// They no longer count against the bounds.
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
