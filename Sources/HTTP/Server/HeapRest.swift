import Reactor
import System

/// Gives the heap's free memory back to the system when half of a crowd has gone, or when it has
/// become quiet after much was read: what malloc keeps for the next time would otherwise stay ours
/// for good.
///
/// Confined to its loop.
final class HeapRest: TimerHandler {
    private static let crowd = 4
    /// Those who go mostly go together, and each rest goes through the whole heap.
    static let delay = Duration.seconds(2)

    /// Whoever sends so many bytes may have made us keep more, for a while.
    private static let load = 4 << 20

    private let loop: EventLoop
    private let delay: Interval
    private var count = 0
    /// Most connections since the last rest.
    private var peak = 0
    private var isDue = false
    /// Bytes that were read since the last look, and most of them between two since the last rest.
    private var read = 0
    private var peakRead = 0
    private var isLoaded = false
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

    func read(_ count: Int) {
        read += count
        if read >= Self.load, !isLoaded { expectQuiet() }
    }

    private func expectQuiet() {
        isLoaded = true
        peakRead = max(peakRead, read)
        read = 0
        _ = loop.schedule(after: delay, self, cookie: Self.quietCookie)
    }

    /// Where there is always much to do, less of it is quiet enough.
    private func lookForQuiet() {
        guard read <= peakRead / 4 else { return expectQuiet() }
        (isLoaded, read, peakRead) = (false, 0, 0)
        restCount += 1
        Heap.trim()
    }

    private static let quietCookie: UInt64 = 1

    func timerFired(_ cookie: UInt64) {
        if cookie == Self.quietCookie { return lookForQuiet() }
        isDue = false
        // The last ones of a crowd may hold the most, and go a moment later.
        peak = count == 0 ? 0 : max(count, Self.crowd)
        restCount += 1
        Heap.trim()
    }
}
