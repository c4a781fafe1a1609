import CShims
import Foundation
import System

/// A clock that records, each time it is read, in which turn of the loop that is, and whether the
/// thread is marked as working on a request.
// Unchecked: mutable state is used only under the lock.
final class SeenMarks: @unchecked Sendable {
    private let lock = NSLock()
    private var loop: EventLoop?
    private var turns: [Instant: Int] = [:]
    private var without = 0

    /// Starts recording.
    func begin(on loop: EventLoop) { lock.withLock { self.loop = loop } }

    var count: Int { lock.withLock { turns.values.reduce(0, +) } }
    var countWithoutMark: Int { lock.withLock { without } }
    var mostInATurn: Int { lock.withLock { turns.values.max() ?? 0 } }

    func time() -> Double {
        var probe = cshims_input()
        cshims_enter(&probe)
        let isMarked = probe.outer?.pointee.kind == CrashMarker.Kind.request.rawValue
        cshims_leave(&probe)
        lock.withLock {
            guard let loop else { return }
            turns[loop.now, default: 0] += 1
            if !isMarked { without += 1 }
        }
        return Date().timeIntervalSince1970
    }
}
