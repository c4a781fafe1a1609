package import Base
package import Delivery

/// Operations on callbacks.
package enum CallbackOperation: Sendable {
    /// Creates a callback, or gives one a new target, which has to be confirmed like the first. The
    /// introduction is sent before everything else.
    case make(Callback, introduction: OutboxEvent)
    /// The former secret also signs for a week.
    case rotateSecret(callback: UInt32, Secret)
    case add(OutboxEvent, to: UInt32)
    /// Accepts nothing after the last event. An unconfirmed callback gets no last event.
    case end(callback: UInt32, last: OutboxEvent?)
    case record(AttemptRecord)

    /// Its size in the queue.
    var size: Int {
        switch self {
        case .make(_, let event), .add(let event, _): event.body.count
        case .end(_, let event): event?.body.count ?? 0
        case .rotateSecret, .record: 0
        }
    }
}

/// The result of an attempt, or of waiting for one.
package struct AttemptRecord: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case delivered
        case postponed(attempts: Int, refusals: Int, due: StoreTime)
        /// The event is set aside, so that the next one can be sent.
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
