package import Delivery

/// What became of an attempt, or of waiting for one.
package struct AttemptRecord: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case delivered
        case postponed(attempts: Int, refusals: Int, due: StoreTime)
        /// Put aside; the next one goes on.
        case parked
        /// Too old.
        case dead
        /// The callback is removed with all that waits.
        case gone
        case lapsed
    }

    package let callback: UInt32
    package let position: Int64
    package let result: Result
}
