/// Limits how fast somebody may ask: how much at once, and how much in each second after that. Time
/// is passed in.
package struct Pace: Equatable, Sendable {
    /// When all that was asked for so far would be done, at the allowed rate.
    private var end: Int64 = 0

    package init() {}

    /// How many nanoseconds to wait before taking more; nil while within the limit.
    package mutating func spend(_ cost: Int, _ limit: PaceLimit, at now: Int64) -> Int64? {
        let work = Int64(clamping: cost) * limit.nanosecondsEach
        end = max(end, now) + work
        let ahead = end - now - Int64(limit.atOnce) * limit.nanosecondsEach
        return ahead > 0 ? ahead : nil
    }

    /// How long one more has to wait for its turn; nil, and it does not count, if that is longer than
    /// `patience`.
    package mutating func delay(
        _ limit: PaceLimit, at now: Duration, patience: Duration = .zero
    ) -> Duration? {
        var next = self
        let ahead = next.spend(1, limit, at: now.wholeNanoseconds)
        let delay = Duration.nanoseconds(ahead ?? 0)
        guard delay <= patience else { return nil }
        self = next
        return delay
    }

    /// Nothing that was asked for counts any more.
    package func isOver(at now: Duration) -> Bool { end <= now.wholeNanoseconds }
}

/// What somebody may ask at once, and each second after that.
package struct PaceLimit: Equatable, Sendable {
    package let atOnce: Int
    let nanosecondsEach: Int64

    package init(atOnce: Int, perSecond: Int) {
        self.atOnce = atOnce
        nanosecondsEach = 1_000_000_000 / Int64(max(perSecond, 1))
    }
}
