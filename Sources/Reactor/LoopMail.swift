import Synchronization
import System

/// Something to run on the thread of a loop.
struct Work: Sendable {
    let call: @Sendable () -> Void
}

/// Where other threads leave work for a loop.
final class LoopMail: Sendable {
    private struct Content {
        var work: [Work] = []
        var isClosed = false
    }

    private let content = Lock(Content())
    private let isAsleep = Atomic(false)

    enum Receipt {
        case taken
        /// The loop waits, and has to be woken.
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
        // The lock orders this after `prepareToSleep`, or that sees the work. One ring is enough.
        guard isAsleep.load(ordering: .relaxed) else { return .taken }
        return isAsleep.exchange(false, ordering: .relaxed) ? .takenAsleep : .taken
    }

    /// Exchanges the content for an empty array, which keeps its room.
    func take(into work: inout [Work]) {
        content.withLock { swap(&$0.work, &work) }
    }

    /// Whether the loop may wait: from now on it is to be woken.
    func prepareToSleep() -> Bool {
        isAsleep.store(true, ordering: .relaxed)
        let isEmpty = content.withLock { $0.work.isEmpty }
        if !isEmpty { wakeUp() }
        return isEmpty
    }

    func wakeUp() { isAsleep.store(false, ordering: .relaxed) }

    /// From now on it takes nothing; what is in it can still be taken out.
    func close() {
        content.withLock { $0.isClosed = true }
    }
}
