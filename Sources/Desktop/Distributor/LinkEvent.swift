package import WebPush

/// What the link tells the distributor.
package enum LinkEvent: Equatable, Sendable {
    /// The endpoint of a channel, at first or a new one.
    case endpoint(ChannelID, String)
    /// There is none, and waiting does not help. Being offline is no refusal.
    case refused(ChannelID, RegistrationFailure)
    case message(PushedMessage)
    /// The sender took it back, or a newer one of its topic took its place.
    case withdrawn(ChannelID, message: String)
    /// The application of that name is to fetch: a signal without content. `version` is the number
    /// that the sender gave.
    case fetch(FetchSignal)
    /// The network is back or the machine has slept: what failed may work now.
    case woken
}
