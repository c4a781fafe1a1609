/// When the messages of a loop are due that its devices have been sent and may still acknowledge
/// before they are written.
///
/// It knows no message, only whom to ask and when: each delivery knows what it holds. A value: time is
/// passed in, in nanoseconds of a clock that never goes back. All that it does takes constant time,
/// and only growth allocates.
package struct CommitWindow: ~Copyable {
    /// How long a message is held.
    package static let span: Int64 = 2_000_000

    private struct Due {
        let device: UInt32
        let time: Int64
    }

    private let limit: Int
    /// A ring: entry `n` stands at `n` modulo its length, a power of two.
    private var ring = Array(repeating: Due(device: 0, time: 0), count: 64)
    private var first = 0
    private var end = 0
    /// How many messages are held; the ring may still have some that are not.
    package private(set) var count = 0

    /// For at most `limit` messages; with more, the oldest are due at once.
    package init(limit: Int = 4_096) { self.limit = limit }

    /// When there is something to do; nil as long as nothing is held.
    package var deadline: Int64? { count > 0 && first < end ? ring[index(first)].time : nil }

    /// Messages are held in the order of their time.
    package mutating func hold(_ device: UInt32, until time: Int64) {
        if end - first == ring.count { grow() }
        ring[index(end)] = Due(device: device, time: time)
        end += 1
        count += 1
    }

    /// One message less is held.
    package mutating func letGo() {
        count -= 1
        if count == 0 { first = end }
    }

    /// A device that may hold messages which are due, and those of which time are: they are let go.
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
