import Synchronization

/// A call to run on the thread of a loop.
struct Work: Sendable {
    let call: @Sendable () -> Void
}

/// Calls that other threads post to a loop.
final class LoopMail: Sendable {
    private struct Content {
        var work: [Work] = []
        var isClosed = false
    }

    private let content = Lock(Content())
    private let isAsleep = Atomic(false)

    enum Receipt {
        case taken
        /// The loop is waiting and has to be woken.
        case takenAsleep
        /// The loop has ended.
        case refused
    }

    func put(_ work: Work) -> Receipt {
        let isTaken = content.withLock { content in
            guard !content.isClosed else { return false }
            content.work.append(work)
            return true
        }
        guard isTaken else { return .refused }
        // The lock orders this after `prepareToSleep`, or the loop sees the work. One wake-up is
        // enough.
        guard isAsleep.load(ordering: .relaxed) else { return .taken }
        return isAsleep.exchange(false, ordering: .relaxed) ? .takenAsleep : .taken
    }

    /// Swaps the content for an empty array that keeps its capacity.
    func move(into work: inout [Work]) {
        content.withLock { swap(&$0.work, &work) }
    }

    /// Whether the loop may wait. From now on it has to be woken.
    func prepareToSleep() -> Bool {
        isAsleep.store(true, ordering: .relaxed)
        let isEmpty = content.withLock { $0.work.isEmpty }
        if !isEmpty { wakeUp() }
        return isEmpty
    }

    func wakeUp() { isAsleep.store(false, ordering: .relaxed) }

    /// Accepts nothing from now on; existing content can still be taken.
    func close() {
        content.withLock { $0.isClosed = true }
    }
}

/// The calls waiting to run on the thread of a loop, in order.
struct WorkQueue {
    private static let roomToKeep = 4_096

    private var current: [Work] = []
    private var position = 0
    /// Added since `current` was begun.
    private var next: [Work] = []
    private var mail: [Work] = []

    var isEmpty: Bool { position == current.count && next.isEmpty }

    mutating func append(_ work: Work) { next.append(work) }

    /// Appends the calls of other threads.
    mutating func collect(from post: LoopMail) {
        post.move(into: &mail)
        guard !mail.isEmpty else { return }
        if next.isEmpty {
            swap(&next, &mail)
        } else {
            next += mail
        }
        Self.empty(&mail)
    }

    mutating func popFirst() -> Work? {
        if position == current.count {
            Self.empty(&current)
            position = 0
            swap(&current, &next)
            if current.isEmpty { return nil }
        }
        defer { position += 1 }
        return current[position]
    }

    /// Frees the memory of a burst.
    private static func empty(_ work: inout [Work]) {
        work.removeAll(keepingCapacity: work.capacity <= roomToKeep)
    }
}
