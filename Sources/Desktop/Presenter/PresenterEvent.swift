package import System

/// Events for a `Presenter`.
package enum PresenterEvent: Sendable {
    case update(source: String, EngineUpdate)
    /// A source is shown from now on, or has new settings.
    indirect case sourceBegan(PresentedSource)
    /// The source and all its notifications are gone for good.
    case sourceEnded(String)
    /// The engine of the source starts to send its state. Until then it is unknown what the
    /// application agreed to.
    case joined(String)
    /// The account does not exist. A new one of that name numbers its notifications from the
    /// beginning.
    case accountEnded(String)
    /// The name `org.freedesktop.Notifications` has an owner whose capabilities are known.
    indirect case serverAppeared(NotificationServer)
    case serverVanished
    /// No notification server could be started.
    case serverUnavailable
    case notified(ticket: Int, id: UInt32)
    case notifyFailed(ticket: Int, NotifyFailure)
    /// A notification was closed at our request, or was gone already.
    case closed(ShownKey)
    /// The following cases are signals, which count only if they come from the server.
    case notificationClosed(id: UInt32, reason: UInt32, sender: String)
    case actionInvoked(id: UInt32, key: String, sender: String)
    case activationToken(id: UInt32, token: String, sender: String)
    case replied(id: UInt32, text: String, sender: String)
    case inhibited(Bool)
    /// A program that draws badges appeared.
    case launcherAppeared
    /// A deadline has passed.
    case elapsed
}

/// Why a `Notify` returned no id.
package enum NotifyFailure: Equatable, Sendable {
    /// Nobody received the call.
    case undelivered
    /// Somebody may have received the call.
    case unanswered
    case refused
}

/// The action of a message that the user chose.
package struct Choice: Hashable, Sendable {
    package let source: String
    package let chat: Int64
    package let message: Int64
    package let action: String
}

/// What a `Presenter` wants done. Records come before the calls they belong to, and must be stored
/// before the calls leave.
package enum PresenterAction: Equatable, Sendable {
    case keep(ShownRecord)
    case forget(ShownKey)
    /// Forget the highest ids of a source.
    case forgetHighest(source: String)
    /// Start the registered notification server.
    case startServer
    indirect case notify(ticket: Int, NotifyCall)
    case close(ShownKey, id: UInt32)
    case request(source: String, EngineRequest)
    /// Bring the application to the front.
    case activate(service: String, token: String?)
    /// Open a link instead of passing the choice to the application.
    case open(link: ExternalLink, Choice, token: String?)
    case badge(desktopEntry: String, count: Int64)
}
