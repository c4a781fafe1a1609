import Glibc

/// The time of day. It may jump.
package enum WallClock {
    /// Seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
