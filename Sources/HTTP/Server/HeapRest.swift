import Reactor
import System

/// Gives the heap's free memory back to the system when half of a crowd has gone: what malloc keeps
/// for the next one would otherwise stay ours for good.
///
/// Confined to its loop.
final class HeapRest: TimerHandler {
    private static let crowd = 4
    /// Those who go mostly go together, and each rest goes through the whole heap.
    static let delay = Duration.seconds(2)

    private let loop: EventLoop
    private let delay: Interval
    private var count = 0
    /// Most connections since the last rest.
    private var peak = 0
    private var isDue = false
    private(set) var restCount = 0

    init(on loop: EventLoop, after delay: Duration = HeapRest.delay) {
        self.loop = loop
        self.delay = Interval(delay)
    }

    func rose(to count: Int) {
        self.count = count
        peak = max(peak, count)
    }

    func fell(to count: Int) {
        self.count = count
        guard !isDue, peak >= Self.crowd, count <= peak / 2 else { return }
        isDue = true
        _ = loop.schedule(after: delay, self)
    }

    func timerFired(_ cookie: UInt64) {
        isDue = false
        // The last ones of a crowd may hold the most, and go a moment later.
        peak = count == 0 ? 0 : max(count, Self.crowd)
        restCount += 1
        Heap.trim()
    }
}
