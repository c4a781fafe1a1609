package import Mailbox
package import Reactor

/// Asks the store from a loop, and gets the answers there.
// Unchecked: its state is used only on the loop's thread, to which the store's answers are posted.
package final class StoreDialogue: StoreSink, @unchecked Sendable {
    private let loop: EventLoop
    private let store: any MessageStore
    private var outcomes: [UInt64: (StoreOutcome) -> Void] = [:]
    private var answers: [UInt64: (LoadAnswer) -> Void] = [:]
    private var ticket: UInt64 = 0

    package init(on loop: EventLoop, _ store: any MessageStore) {
        self.loop = loop
        self.store = store
    }

    package func submit(_ operation: StoreOperation, then: @escaping (StoreOutcome) -> Void) {
        ticket += 1
        outcomes[ticket] = then
        store.submit(operation, ticket: ticket, to: self)
    }

    package func load(_ request: LoadRequest, then: @escaping (LoadAnswer) -> Void) {
        ticket += 1
        answers[ticket] = then
        store.load(request, ticket: ticket, to: self)
    }

    /// Call this after the loop has ended, when no more answers come.
    package func forgetAll() {
        outcomes = [:]
        answers = [:]
    }

    package func completed(_ completions: [Completion]) {
        loop.post {
            for completion in completions {
                self.outcomes.removeValue(forKey: completion.ticket)?(completion.outcome)
            }
        }
    }

    package func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        loop.post { self.answers.removeValue(forKey: ticket)?(answer) }
    }
}
