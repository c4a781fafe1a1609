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

    /// The entry's.
    private let name: UInt64
    private let state = Monitor(State())

    init(of name: UInt64) { self.name = name }

    /// Another entry is where the one of this name was to be. The news of a former one may be late.
    func isOvertaken(_ name: UInt64) {
        guard name == self.name else { return }
        state.withLock { $0.ending = .overtaken }
        state.signal()
    }

    /// Begins an attempt with `send`, and waits for its end. An answer to a former attempt comes too
    /// late, because it may be older than what was sent since.
    func run(
        _ attempt: Int, patience: Int64,
        _ send: (@escaping @Sendable (PublishAnswer) -> Void) -> Void
    ) -> Ending {
        let isOvertaken = state.withLock { state in
            if case .overtaken? = state.ending { return true }
            state = State(attempt: attempt)
            return false
        }
        if isOvertaken { return .overtaken }
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
