import Glibc
import Mailbox
import Synchronization

/// Counts the answers of the store, and lets one thread wait for them.
final class AnswerCounter: StoreSink {
    struct Overdue: Error {}

    let stored = Atomic(0)
    let failed = Atomic(0)

    var answers: Int { stored.load(ordering: .acquiring) + failed.load(ordering: .acquiring) }

    func completed(_ completions: [CompletedOperation]) {
        var count = 0
        for completion in completions {
            switch completion.outcome {
            case .stored, .done: count += 1
            default: break
            }
        }
        stored.add(count, ordering: .releasing)
        failed.add(completions.count - count, ordering: .releasing)
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}

    /// Returns when `isReached` is true, or fails after a minute.
    func wait(until isReached: () -> Bool) throws {
        for _ in 0..<60_000 {
            if isReached() { return }
            usleep(1_000)
        }
        throw Overdue()
    }
}
