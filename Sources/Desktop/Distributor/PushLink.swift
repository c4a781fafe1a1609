package import WebPush

/// The distributor's view of the receivers.
///
/// Both sides run on one event loop. A channel stays registered until `unregister`, also after a
/// restart, a lost connection or a receiver that forgot everything; the distributor then only gets
/// a new `endpoint`. The link hands over the messages of a channel in the order of their
/// acceptance. When a certain number of them wait to be acknowledged or rejected, it keeps the
/// rest, so a sleeping application delays nobody.
package protocol PushLink: AnyObject {
    /// What is known of the receivers.
    var states: [ReceiverState] { get }
    func perform(_ request: LinkRequest)
}

/// Receives the link's events on the thread of the loop.
package protocol PushLinkListener: AnyObject {
    func heard(_ event: LinkEvent)
}

/// Requests of the distributor to the link.
package enum LinkRequest: Equatable, Sendable {
    /// Wants an endpoint, bound to the key if there is one. At every start each registration
    /// repeats this with the endpoint it has; the link answers only with a different one.
    case register(ChannelID, key: ApplicationKey?, known: String?)
    /// Ends the channel. There is no answer.
    case unregister(ChannelID)
    /// The application has the message.
    case acknowledge(ChannelID, message: String)
    /// The application will never take the message.
    case reject(ChannelID, message: String)
}

/// Events from the link to the distributor.
package enum LinkEvent: Equatable, Sendable {
    /// The endpoint of a channel: the first one, or a new one.
    case endpoint(ChannelID, String)
    /// There is no endpoint, and waiting does not help. Being offline is not a refusal.
    case refused(ChannelID, RegistrationFailure)
    /// No receiver is listed. All registrations end at that time, in seconds since 1970; nil if
    /// they do not.
    case unlisted(until: Int64?)
    case message(PushedMessage)
    /// The sender withdrew the message, or replaced it by a newer one with the same topic.
    case withdrawn(ChannelID, message: String)
    /// The named application should fetch.
    case fetch(FetchSignal)
    /// The network is back or the machine has slept: what failed may work now.
    case woken
}

/// Why an application got no endpoint, in the words of the UnifiedPush specification.
package enum RegistrationFailure: String, Sendable {
    /// A later attempt may work.
    case `internal` = "INTERNAL_ERROR"
    /// An attempt may work when the network is back.
    case network = "NETWORK"
    /// The user has to do something first, such as naming a receiver.
    case actionRequired = "ACTION_REQUIRED"
    /// The receiver accepts only registrations with a key.
    case keyRequired = "VAPID_REQUIRED"
    case unauthorized = "UNAUTHORIZED"
}
