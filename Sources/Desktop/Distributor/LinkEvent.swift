package import WebPush

/// Events from the link to the distributor.
package enum LinkEvent: Equatable, Sendable {
    /// The endpoint of a channel: the first one, or a new one.
    case endpoint(ChannelID, String)
    /// There is no endpoint, and waiting does not help. Being offline is not a refusal.
    case refused(ChannelID, RegistrationFailure)
    case message(PushedMessage)
    /// The sender withdrew the message, or replaced it by a newer one with the same topic.
    case withdrawn(ChannelID, message: String)
    /// The named application should fetch.
    case fetch(FetchSignal)
    /// The network is back or the machine has slept: what failed may work now.
    case woken
}
