import CShims
import Foundation
import Reactor
import System

/// A clock that looks, whenever it is asked, in which turn of its loop that is, and whether its thread
/// is known to be at work on a request.
// Unchecked: what changes is touched under the lock.
final class SeenMarks: @unchecked Sendable {
    private let lock = NSLock()
    private var loop: EventLoop?
    private var turns: [Instant: Int] = [:]
    private var without = 0

    /// Looks from now on.
    func begin(on loop: EventLoop) { lock.withLock { self.loop = loop } }

    var count: Int { lock.withLock { turns.values.reduce(0, +) } }
    var countWithoutMark: Int { lock.withLock { without } }
    var mostInATurn: Int { lock.withLock { turns.values.max() ?? 0 } }

    func time() -> Double {
        var probe = cshims_input()
        cshims_enter(&probe)
        let isMarked = probe.outer?.pointee.kind == Underway.Kind.request.rawValue
        cshims_leave(&probe)
        lock.withLock {
            guard let loop else { return }
            turns[loop.now, default: 0] += 1
            if !isMarked { without += 1 }
        }
        return Date().timeIntervalSince1970
    }
}
