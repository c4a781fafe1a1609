package import Base

/// What the store does for callbacks.
package enum CallbackOperation: Sendable {
    /// Makes a callback, or gives one a new target, which has to be confirmed like a first one. The
    /// introduction is sent before everything else.
    case make(Callback, introduction: OutboxEvent)
    /// The former secret signs beside the new one for a week.
    case rotateSecret(callback: UInt32, Secret)
    case add(OutboxEvent, to: UInt32)
    /// Takes nothing after the last event. A callback that was never confirmed is not told.
    case end(callback: UInt32, last: OutboxEvent?)
    case record(AttemptRecord)

    /// What it weighs while it waits.
    var size: Int {
        switch self {
        case .make(_, let event), .add(let event, _): event.body.count
        case .end(_, let event): event?.body.count ?? 0
        case .rotateSecret, .record: 0
        }
    }
}
