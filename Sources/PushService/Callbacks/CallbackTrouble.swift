/// A problem with a callback that the administrator may want to know of. It names only the number
/// of the registration.
package enum CallbackTrouble: Sendable {
    package typealias Report = @Sendable (CallbackTrouble) -> Void

    /// Its receiver answered 410.
    case gone(UInt32)
    /// Nobody confirmed it within an hour.
    case lapsed(UInt32)
    /// The receiver kept refusing an event, which was set aside.
    case parked(UInt32)
    /// An event was given up because it was too old.
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
