package import Delivery

/// The result of an attempt, or of waiting for one.
package struct AttemptRecord: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case delivered
        case postponed(attempts: Int, refusals: Int, due: StoreTime)
        /// Set aside so that the next event can go.
        case parked
        /// The event is too old.
        case dead
        /// The callback is removed with all its events.
        case gone
        case lapsed
    }

    package let callback: UInt32
    package let position: Int64
    package let result: Result
}
