import Glibc

/// A point on the monotonic clock, which stands still while the machine is suspended.
package struct Instant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: Instant { Instant(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC)) }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + interval.nanoseconds)
    }
}

/// A length of time in whole nanoseconds.
///
/// It is converted from a `Duration` only once: the division costs more than the rest of a timer.
package struct Interval: Hashable, Sendable {
    package let nanoseconds: Int64

    /// Allows at most 100 years, so that adding it to a clock cannot overflow. Negative durations
    /// become zero.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        if duration <= .zero {
            nanoseconds = 0
        } else if seconds >= Self.limit {
            nanoseconds = Self.limit * 1_000_000_000
        } else {
            nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }

    private static let limit: Int64 = 100 * 365 * 86_400
}

/// The clock that also runs while the machine is suspended, for things that expire.
package enum BootClock {
    /// The time since the machine was started.
    package static var now: Duration { .nanoseconds(clockNanoseconds(CLOCK_BOOTTIME)) }
}

private func clockNanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
