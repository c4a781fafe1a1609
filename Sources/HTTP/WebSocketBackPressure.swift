/// Keeps what waits to be sent to a slow reader within bounds.
package struct WebSocketBackPressure: Sendable {
    package enum Signal: Equatable, Sendable {
        /// Stop producing, and stop reading what would be answered.
        case pause
        case resume
        /// The peer has not read for too long: end the connection.
        case cut
    }

    private let low: Int
    private let high: Int
    private let limit: Int
    package private(set) var isPaused = false

    /// Pauses above `high` bytes, resumes at `low` or less, gives up above `limit`.
    package init(low: Int, high: Int, limit: Int) {
        precondition(0 <= low && low <= high && high <= limit)
        self.low = low
        self.high = high
        self.limit = limit
    }

    /// Answers what changes now that `bytes` wait to be sent.
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
