import System

/// What to remind callbacks of, and how far the round at the start has come. Any thread may use it.
final class Reminders: Sendable {
    private struct State {
        var describe: (@Sendable (Registration) -> String)?
        /// The last device whose callback was reminded; nil before and after the round.
        var last: UInt32?
    }

    private let state = Lock(State())

    var last: UInt32? { state.withLock { $0.last } }
    var isUnderWay: Bool { last != nil }

    /// `withRound`: reminds all of them now.
    func begin(withRound: Bool, _ describe: @escaping @Sendable (Registration) -> String) {
        state.withLock { $0 = State(describe: describe, last: withRound ? 0 : nil) }
    }

    /// Nil when all have been reminded.
    func reached(_ device: UInt32?) { state.withLock { $0.last = device } }

    /// The parameters of `registerDevice`, as JSON.
    func parameters(of registration: Registration) -> String? {
        state.withLock { $0.describe }?(registration)
    }
}
