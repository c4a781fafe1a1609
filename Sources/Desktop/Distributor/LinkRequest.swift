package import WebPush

/// Requests of the distributor to the link.
package enum LinkRequest: Equatable, Sendable {
    /// Wants an endpoint, bound to the key if there is one. At every start each registration
    /// repeats this with the endpoint it has; the link answers only with a different one.
    case register(ChannelID, key: ApplicationKey?, known: String?)
    /// Ends the channel. Not answered.
    case unregister(ChannelID)
    /// The application has the message.
    case acknowledge(ChannelID, message: String)
    /// The application will never take the message.
    case reject(ChannelID, message: String)
}
