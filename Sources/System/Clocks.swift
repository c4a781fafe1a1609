import Base
import Glibc

/// The time since the machine was started, and an identifier of that start.
package enum Boot {
    /// Includes the time while the machine was suspended. Setting the clock does not change it.
    package static var milliseconds: Int64 { clockNanoseconds(CLOCK_BOOTTIME) / 1_000_000 }

    /// 16 bytes that differ from one start of the machine to the next; nil if the kernel has none.
    package static var identifier: [UInt8]? {
        guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let text = try? file.readAll(limit: 64)
        else { return nil }
        let digits = String(decoding: text.filter { $0.hexValue != nil }, as: UTF8.self)
        return digits.utf8.count == 32 ? Hexadecimal.decoded(digits) : nil
    }
}

/// The clock that also runs while the machine is suspended, for things that expire.
package enum BootClock {
    /// The time since the machine was started.
    package static var now: Duration { .nanoseconds(clockNanoseconds(CLOCK_BOOTTIME)) }
}

/// The time of day. It may jump.
package enum WallClock {
    /// Seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}

func clockNanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// A reading of the machine's clocks at one moment.
package struct ClockReading: Equatable, Sendable {
    /// Identifies this boot of the machine; nil if that is unknown.
    package var boot: [UInt8]?
    /// Milliseconds since boot, including suspension. Setting the clock does not change it.
    package var sinceBoot: Int64
    /// Milliseconds since 1970. It may jump.
    package var wall: Int64

    package init(boot: [UInt8]?, sinceBoot: Int64, wall: Int64) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.wall = wall
    }

    package static func now() -> ClockReading {
        ClockReading(
            boot: thisBoot, sinceBoot: Boot.milliseconds, wall: Int64(WallClock.now * 1_000))
    }

    private static let thisBoot = Boot.identifier
}

/// A clock that goes on after a restart, for what expires on a disk. Within one boot it follows the
/// clock that nobody can set; across a restart it follows the time of day, but never runs backwards.
package struct LastingClock: Equatable, Sendable {
    /// A moment of this clock, as recorded on the disk.
    package struct Anchor: Equatable, Sendable {
        /// Milliseconds of the lasting clock.
        package let milliseconds: Int64
        package let reading: ClockReading

        package init(milliseconds: Int64, reading: ClockReading) {
            self.milliseconds = milliseconds
            self.reading = reading
        }
    }

    private let offset: Int64

    /// Continues from the last recorded moment; without one, time starts now.
    package init(after last: Anchor?, at now: ClockReading) {
        let start = last.map { $0.milliseconds + Self.elapsed(from: $0.reading, to: now) }
        offset = (start ?? 0) - now.sinceBoot
    }

    package func milliseconds(at reading: ClockReading) -> Int64 {
        #if PLANTED
            if PlantedMistake.expiryByWallClock.isMade { return reading.wall }
        #endif
        return reading.sinceBoot + offset
    }

    /// The current time by this machine's clock.
    package var milliseconds: Int64 {
        #if PLANTED
            if PlantedMistake.expiryByWallClock.isMade { return milliseconds(at: .now()) }
        #endif
        return Boot.milliseconds + offset
    }

    /// Milliseconds between two readings; only the second has to be from this boot.
    static func elapsed(from earlier: ClockReading, to later: ClockReading) -> Int64 {
        let isSameBoot = earlier.boot != nil && earlier.boot == later.boot
        let elapsed =
            isSameBoot ? later.sinceBoot - earlier.sinceBoot : later.wall - earlier.wall
        return max(0, elapsed)
    }
}
