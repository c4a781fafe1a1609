/// What somebody who looks after a service may want to know of a callback; by the number of its
/// registration alone.
package enum CallbackTrouble: Sendable {
    package typealias Report = @Sendable (CallbackTrouble) -> Void

    /// Its receiver answered 410.
    case gone(UInt32)
    /// Nobody confirmed it within an hour.
    case lapsed(UInt32)
    /// An event was refused again and again, and put aside.
    case parked(UInt32)
    /// An event was given up, because it had become too old.
    case dead(UInt32)

    package var callback: UInt32 {
        switch self {
        case .gone(let callback), .lapsed(let callback), .parked(let callback),
            .dead(let callback):
            callback
        }
    }

    package var reason: String {
        switch self {
        case .gone: "the receiver answered 410"
        case .lapsed: "nobody confirmed it"
        case .parked: "the receiver refuses an event"
        case .dead: "an event became too old"
        }
    }
}
