/// Schedules when messages that were sent to devices, and not acknowledged yet, must be written.
///
/// It knows only which device to ask and when; each delivery knows what it holds. Time is passed
/// in, in nanoseconds of a clock that never goes back. Every operation takes constant time, and
/// only growth allocates.
package struct CommitWindow: ~Copyable {
    package static let span: Int64 = 2_000_000

    private struct Due {
        let device: UInt32
        let time: Int64
    }

    private let limit: Int
    /// A ring: entry `n` is at `n` modulo its length, which is a power of two.
    private var ring = Array(repeating: Due(device: 0, time: 0), count: 64)
    private var first = 0
    private var end = 0
    /// How many messages are held. The ring may also contain entries of messages already let go.
    package private(set) var count = 0

    /// If more than `limit` messages are held, the oldest are due at once.
    package init(limit: Int = 4_096) { self.limit = limit }

    /// When the next messages are due; nil while nothing is held.
    package var deadline: Int64? { count > 0 && first < end ? ring[index(first)].time : nil }

    /// Messages must be held in the order of their time.
    package mutating func hold(_ device: UInt32, until time: Int64) {
        if end - first == ring.count { grow() }
        ring[index(end)] = Due(device: device, time: time)
        end += 1
        count += 1
    }

    /// Call this once for each message that is no longer held.
    package mutating func letGo() {
        count -= 1
        if count == 0 { first = end }
    }

    /// The next device that may hold due messages, and the time up to which they are due.
    package mutating func next(_ now: Int64) -> (device: UInt32, time: Int64)? {
        guard first < end else { return nil }
        let due = ring[index(first)]
        guard due.time <= now || count > limit else { return nil }
        first += 1
        return (due.device, due.time)
    }

    private func index(_ number: Int) -> Int { number & (ring.count - 1) }

    private mutating func grow() {
        let old = ring
        ring += old
        for number in first..<end { ring[index(number)] = old[number & (old.count - 1)] }
    }
}
