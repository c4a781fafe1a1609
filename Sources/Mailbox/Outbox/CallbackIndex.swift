import System

/// What the server knows of callbacks without reading the disk. Any thread may use it.
package final class CallbackIndex: Sendable {
    private let gone = Lock<Set<UInt32>>([])
    private let handing = Lock(Handing())
    private let listener = Subscriber<[UInt32: CallbackNews], Void>()

    private struct Handing {
        var handedOut: Set<UInt32> = []
        /// Their first event is being changed by the current transaction.
        var changing: Set<UInt32> = []
    }

    /// Whether the callback's receiver has answered 410. Senders to the registration may learn
    /// this.
    package func isGone(_ callback: UInt32) -> Bool { gone.withLock { $0.contains(callback) } }

    /// Call this before the first event of a callback is read and sent: until `takeBack`, nothing
    /// is counted into that event. False while something is being counted into it.
    package func handOut(_ callback: UInt32) -> Bool {
        handing.withLock { handing in
            guard !handing.changing.contains(callback) else { return false }
            handing.handedOut.insert(callback)
            return true
        }
    }

    package func takeBack(_ callback: UInt32) {
        handing.withLock { _ = $0.handedOut.remove(callback) }
    }

    /// Whether something may be counted into the first event; if so, it stays until `endChanges`.
    func beginChange(of callback: UInt32) -> Bool {
        handing.withLock { handing in
            guard !handing.handedOut.contains(callback) else { return false }
            handing.changing.insert(callback)
            return true
        }
    }

    func endChanges() { handing.withLock { $0.changing = [] } }

    /// `listener` is called on a store thread with the callbacks that a commit changed.
    package func listen(_ listener: (@Sendable ([UInt32: CallbackNews]) -> Void)?) {
        self.listener.set(listener)
    }

    func set(_ callback: UInt32, isGone: Bool) {
        gone.withLock { gone in
            if isGone { gone.insert(callback) } else { gone.remove(callback) }
        }
    }

    func notify(_ news: [UInt32: CallbackNews]) { listener.call(news) }
}

/// Why to look at a callback.
package enum CallbackNews: Sendable {
    /// New events are waiting.
    case added
    /// The first event of the callback may have changed, or the callback may be gone.
    case changed
}

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
