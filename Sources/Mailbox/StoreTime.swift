package import Delivery
package import System

/// The store's own time: messages expire by a clock that goes on after a restart.
extension LastingClock {
    package var now: StoreTime { StoreTime(milliseconds: milliseconds) }

    package func time(at reading: ClockReading) -> StoreTime {
        StoreTime(milliseconds: milliseconds(at: reading))
    }
}

extension LastingClock.Anchor {
    var time: StoreTime { StoreTime(milliseconds: milliseconds) }

    init(time: StoreTime, reading: ClockReading) {
        self.init(milliseconds: time.milliseconds, reading: reading)
    }
}

/// The store's time and the clocks it follows.
struct StoreTimekeeper: Sendable {
    let clock: LastingClock
    let reading: @Sendable () -> ClockReading

    var now: StoreTime { clock.time(at: reading()) }

    var anchor: LastingClock.Anchor {
        let reading = reading()
        return LastingClock.Anchor(time: clock.time(at: reading), reading: reading)
    }
}
