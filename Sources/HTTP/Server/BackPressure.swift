/// Limits how much output waits for a slow reader.
package struct BackPressure: Sendable {
    package enum Signal: Equatable, Sendable {
        /// Stop producing, and stop reading what would be answered.
        case pause
        case resume
        /// The peer has not read for too long: end the connection.
        case cut
    }

    // 32 bits keep an idle connection small.
    private let low: UInt32
    private let high: UInt32
    private let limit: UInt32
    package private(set) var isPaused = false

    /// Pauses above `high` bytes, resumes at `low` or less, gives up above `limit`.
    package init(low: Int, high: Int, limit: Int) {
        precondition(0 <= low && low <= high && high <= limit)
        self.low = UInt32(low)
        self.high = UInt32(high)
        self.limit = UInt32(limit)
    }

    /// Returns what changes if `bytes` wait to be sent.
    package mutating func buffered(_ bytes: Int) -> Signal? {
        guard bytes <= limit else { return .cut }
        switch isPaused {
        case false where bytes > high:
            isPaused = true
            return .pause
        case true where bytes <= low:
            isPaused = false
            return .resume
        default: return nil
        }
    }
}
