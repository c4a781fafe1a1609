import System

/// How an attempt to append ends: the leader answers, or the node hears that another entry came
/// first. Then it need not wait for an answer that may be lost.
final class AppendRace: Sendable {
    enum Ending: Sendable {
        case answered(PublishAnswer)
        case overtaken
    }

    private struct State {
        var attempt = 0
        var ending: Ending?
    }

    private let state = Monitor(State())

    /// Another entry is where this one was to be.
    func isOvertaken() {
        state.withLock { $0.ending = .overtaken }
        state.signal()
    }

    /// Begins an attempt with `send`, and waits for its end. An answer to a former attempt comes too
    /// late, because it may be older than what was sent since.
    func run(
        _ attempt: Int, patience: Int64,
        _ send: (@escaping @Sendable (PublishAnswer) -> Void) -> Void
    ) -> Ending {
        state.withLock { state in
            if case .overtaken? = state.ending { return }
            state = State(attempt: attempt)
        }
        send { [weak self] answer in self?.bring(answer, attempt) }
        // The request is given up by then.
        return state.wait(atMost: patience + 500) { $0.ending } ?? .answered(.unknown)
    }

    private func bring(_ answer: PublishAnswer, _ attempt: Int) {
        state.withLock { state in
            guard state.attempt == attempt, state.ending == nil else { return }
            state.ending = .answered(answer)
        }
        state.signal()
    }
}
