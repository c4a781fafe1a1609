package import WebPush

/// What the distributor asks of the link.
package enum LinkRequest: Equatable, Sendable {
    /// Wants an endpoint, bound to the key if there is one. Asked for each registration at every
    /// start, then with the endpoint that it has: the link answers only if it is another one.
    case register(ChannelID, key: ApplicationKey?, known: String?)
    /// Nothing may come on the channel any more. Not answered.
    case unregister(ChannelID)
    /// The application has taken the message.
    case acknowledge(ChannelID, message: String)
    /// The application will never take the message.
    case reject(ChannelID, message: String)
}
