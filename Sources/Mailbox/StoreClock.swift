import Base
package import Delivery
import System

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

/// The time by which messages expire. Within one boot it follows the clock that nobody can set;
/// across a restart it follows the time of day, but never runs backwards.
package struct StoreClock: Equatable, Sendable {
    /// A moment of the store's time, as recorded in the database.
    package struct Anchor: Equatable, Sendable {
        package let time: StoreTime
        package let reading: ClockReading

        package init(time: StoreTime, reading: ClockReading) {
            self.time = time
            self.reading = reading
        }
    }

    private let offset: Int64

    /// Continues from the last recorded moment; without one, time starts now.
    package init(after last: Anchor?, at now: ClockReading) {
        let start = last.map { $0.time.milliseconds + Self.elapsed(from: $0.reading, to: now) }
        offset = (start ?? 0) - now.sinceBoot
    }

    package func time(at reading: ClockReading) -> StoreTime {
        #if PLANTED
            if PlantedMistake.expiryByWallClock.isMade {
                return StoreTime(milliseconds: reading.wall)
            }
        #endif
        return StoreTime(milliseconds: reading.sinceBoot + offset)
    }

    /// The current time by this machine's clock.
    package var now: StoreTime {
        #if PLANTED
            if PlantedMistake.expiryByWallClock.isMade { return time(at: .now()) }
        #endif
        return StoreTime(milliseconds: Boot.milliseconds + offset)
    }

    /// Milliseconds between two readings; only the second has to be from this boot.
    static func elapsed(from earlier: ClockReading, to later: ClockReading) -> Int64 {
        let isSameBoot = earlier.boot != nil && earlier.boot == later.boot
        let elapsed =
            isSameBoot ? later.sinceBoot - earlier.sinceBoot : later.wall - earlier.wall
        return max(0, elapsed)
    }
}

/// The store's time and the clocks it follows.
struct StoreTimekeeper: Sendable {
    let clock: StoreClock
    let reading: @Sendable () -> ClockReading

    var now: StoreTime { clock.time(at: reading()) }

    var anchor: StoreClock.Anchor {
        let reading = reading()
        return StoreClock.Anchor(time: clock.time(at: reading), reading: reading)
    }
}
