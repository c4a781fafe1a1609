import System

/// Memory of finished heads, for reuse on the same loop: a waiting connection then holds none, and
/// a busy loop allocates none.
struct HeadPool {
    private var heads: [RequestHead] = []
    private var fields: [ResponseFields] = []

    /// Few connections are busy at once, so more are rarely needed.
    private static let kept = 128
    /// The memory of an unusually large head is freed.
    private static let keptBytes = 4_096

    mutating func takeHead() -> RequestHead { heads.popLast() ?? RequestHead() }

    mutating func takeFields() -> ResponseFields { fields.popLast() ?? ResponseFields() }

    mutating func giveBack(_ head: consuming RequestHead) {
        guard heads.count < Self.kept, head.fields.bytes.isWorthKeeping(Self.keptBytes) else {
            return
        }
        heads.append(head)
    }

    mutating func giveBack(_ used: consuming ResponseFields) {
        guard fields.count < Self.kept, used.text.isWorthKeeping(Self.keptBytes) else { return }
        used.removeAll()
        fields.append(used)
    }
}

extension [UInt8] {
    fileprivate func isWorthKeeping(_ limit: Int) -> Bool { (1...limit).contains(capacity) }
}

/// Gives free heap memory back to the system when half of a large number of connections have ended,
/// or when the server is quiet again after it read a lot. malloc would otherwise keep the memory
/// for good.
///
/// Only its loop uses it.
final class HeapTrimmer: TimerHandler {
    private static let crowd = 4
    /// Connections often end together, and each trim walks the whole heap.
    static let delay = Duration.seconds(2)

    /// After this many bytes malloc may keep more memory than is needed.
    private static let load = 4 << 20

    private let loop: EventLoop
    private let delay: Interval
    private var count = 0
    /// The most connections since the last trim.
    private var peak = 0
    private var isDue = false
    /// How many bytes were read since the last look; and the most that were read between two looks,
    /// since the last trim.
    private var read = 0
    private var peakRead = 0
    private var isLoaded = false
    private(set) var trimCount = 0

    init(on loop: EventLoop, after delay: Duration = HeapTrimmer.delay) {
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

    /// A server that is always busy is never silent, so less traffic counts as quiet.
    private func lookForQuiet() {
        guard read <= peakRead / 4 else { return expectQuiet() }
        (isLoaded, read, peakRead) = (false, 0, 0)
        trimCount += 1
        Heap.trim()
    }

    private static let quietCookie: UInt64 = 1

    func timerFired(_ cookie: UInt64) {
        if cookie == Self.quietCookie { return lookForQuiet() }
        isDue = false
        // The last of many connections may hold the most memory and end a moment later.
        peak = count == 0 ? 0 : max(count, Self.crowd)
        trimCount += 1
        Heap.trim()
    }
}
