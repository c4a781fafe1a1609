import Reactor

/// What is known of callbacks without asking the disk. For all threads.
package final class CallbackIndex: Sendable {
    package typealias Listener = @Sendable ([UInt32: CallbackNews]) -> Void

    private let gone = Lock<Set<UInt32>>([])
    private let handedOut = Lock<Set<UInt32>>([])
    private let listener = Lock<Listener?>(nil)

    /// Whether its receiver answered 410: who pushes to the registration may be told.
    package func isGone(_ callback: UInt32) -> Bool { gone.withLock { $0.contains(callback) } }

    /// From the moment at which the first event of a callback is read to be sent, until its end is
    /// recorded: what comes meanwhile is not counted into it.
    package func set(_ callback: UInt32, isHandedOut: Bool) {
        Self.set(callback, isHandedOut, in: handedOut)
    }

    func isHandedOut(_ callback: UInt32) -> Bool { handedOut.withLock { $0.contains(callback) } }

    /// Is told, on a thread of the store, of the callbacks for which something was committed.
    package func listen(_ listener: Listener?) { self.listener.withLock { $0 = listener } }

    func set(_ callback: UInt32, isGone: Bool) { Self.set(callback, isGone, in: gone) }

    private static func set(
        _ callback: UInt32, _ isMember: Bool, in set: borrowing Lock<Set<UInt32>>
    ) {
        set.withLock { set in
            if isMember { set.insert(callback) } else { set.remove(callback) }
        }
    }

    func tell(_ news: [UInt32: CallbackNews]) { listener.withLock { $0 }?(news) }
}
