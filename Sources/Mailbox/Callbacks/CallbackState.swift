/// Whether a callback is sent anything.
package enum CallbackState: Int64, Sendable {
    /// Its receiver has not said yet that it wants anything.
    case unconfirmed
    case active
    /// The registration has ended; what is in the outbox is the last.
    case ending
    /// The receiver answered 410.
    case gone
    /// Nobody confirmed it.
    case lapsed

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}
