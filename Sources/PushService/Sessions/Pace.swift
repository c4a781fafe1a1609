/// Limits how fast one session may ask: how much at once, and how much in each second after that.
/// Time is passed in.
package struct Pace {
    /// When all that was asked for so far would be done, at the allowed rate.
    private var end: Int64 = 0

    package init() {}

    /// How many nanoseconds to wait before reading more; nil while within the limit.
    package mutating func spend(_ cost: Int, _ limit: PaceLimit, at now: Int64) -> Int64? {
        let work = Int64(clamping: cost) * limit.nanosecondsEach
        end = max(end, now) + work
        let ahead = end - now - Int64(limit.atOnce) * limit.nanosecondsEach
        return ahead > 0 ? ahead : nil
    }
}

/// What a session may ask at once, and each second after that.
package struct PaceLimit: Equatable, Sendable {
    package let atOnce: Int
    let nanosecondsEach: Int64

    package init(atOnce: Int, perSecond: Int) {
        self.atOnce = atOnce
        nanosecondsEach = 1_000_000_000 / Int64(max(perSecond, 1))
    }
}
