import Reactor
import System

/// What is known of callbacks without asking the disk. For all threads.
package final class CallbackIndex: Sendable {
    package typealias Listener = @Sendable ([UInt32: CallbackNews]) -> Void

    private let gone = Lock<Set<UInt32>>([])
    private let handing = Lock(Handing())
    private let listener = Lock<Listener?>(nil)

    private struct Handing {
        var handedOut: Set<UInt32> = []
        /// Their first event is being changed, in a transaction that is under way.
        var changing: Set<UInt32> = []
    }

    /// Whether its receiver answered 410: who pushes to the registration may be told.
    package func isGone(_ callback: UInt32) -> Bool { gone.withLock { $0.contains(callback) } }

    /// The first event of a callback is about to be read and sent: from now on, until `takeBack`,
    /// nothing is counted into it. False while something just is.
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

    /// Whether something may be counted into the first event, which is not handed out before
    /// `endChanges` then.
    func beginChange(of callback: UInt32) -> Bool {
        handing.withLock { handing in
            guard !handing.handedOut.contains(callback) else { return false }
            handing.changing.insert(callback)
            return true
        }
    }

    func endChanges() { handing.withLock { $0.changing = [] } }

    /// Is told, on a thread of the store, of the callbacks for which something was committed.
    package func listen(_ listener: Listener?) { self.listener.withLock { $0 = listener } }

    func set(_ callback: UInt32, isGone: Bool) {
        gone.withLock { gone in
            if isGone { gone.insert(callback) } else { gone.remove(callback) }
        }
    }

    func tell(_ news: [UInt32: CallbackNews]) { listener.withLock { $0 }?(news) }
}

/// Why a callback is to be looked at.
package enum CallbackNews: Sendable {
    /// Events came to those that wait.
    case added
    /// Its first event may be another one, or it may be gone.
    case changed
}
