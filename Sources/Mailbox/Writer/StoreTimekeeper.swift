import Delivery
import System

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
