/// How fast one session asks: so much at once, and then so much a second. A value: the time is passed
/// in.
package struct Pace {
    /// Until when what was asked would keep us at work, were it done at the rate.
    private var end: Int64 = 0

    package init() {}

    /// How long nothing more is to be taken; nil as long as it is within the limit. Nanoseconds.
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
