import Foundation

@testable import Mailbox

/// Waits for one answer of a store.
// Unchecked: the semaphore orders all access.
final class OneAnswer: StoreSink, @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func completed(_ completions: [CompletedOperation]) { semaphore.signal() }
    func loaded(_ answer: LoadAnswer, ticket: UInt64) { semaphore.signal() }
    func wait() { semaphore.wait() }
}
