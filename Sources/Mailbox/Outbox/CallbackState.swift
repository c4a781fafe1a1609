/// Whether a callback is sent anything. Stored by number.
package enum CallbackState: Int64, Sendable {
    /// The receiver has not confirmed it yet.
    case unconfirmed = 0
    case active = 1
    /// The registration has ended; only the outbox is still sent.
    case ending = 2
    /// The receiver answered 410.
    case gone = 3
    /// Nobody confirmed it in time.
    case lapsed = 4

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}
