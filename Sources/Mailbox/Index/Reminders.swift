import System

/// What callbacks are reminded of, and how far the round is that is made at each start. For all threads.
final class Reminders: Sendable {
    private struct State {
        var describe: (@Sendable (Registration) -> String)?
        /// The last device of which the callback was told; nil when the round is over, or was not
        /// begun.
        var last: UInt32?
    }

    private let state = Lock(State())

    var last: UInt32? { state.withLock { $0.last } }
    var isUnderWay: Bool { last != nil }

    func begin(_ describe: @escaping @Sendable (Registration) -> String) {
        state.withLock { $0 = State(describe: describe, last: 0) }
    }

    /// Nil: all were told.
    func reached(_ device: UInt32?) { state.withLock { $0.last = device } }

    /// The parameters of `registerDevice`, as JSON.
    func parameters(of registration: Registration) -> String? {
        state.withLock { $0.describe }?(registration)
    }
}
