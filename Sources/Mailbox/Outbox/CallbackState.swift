/// Whether a callback is sent anything. Stored by number.
package enum CallbackState: Int64, Sendable {
    /// Its receiver has not said yet that it wants anything.
    case unconfirmed = 0
    case active = 1
    /// The registration has ended; what is in the outbox is the last.
    case ending = 2
    /// The receiver answered 410.
    case gone = 3
    /// Nobody confirmed it.
    case lapsed = 4

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}
