package import System

/// What happens to a `Presenter`.
package enum PresenterEvent: Sendable {
    case update(source: String, EngineUpdate)
    /// A source is to be shown from now on, or looks another way.
    indirect case sourceBegan(PresentedSource)
    /// The source is gone for good, with everything it had to show.
    case sourceEnded(String)
    /// Its engine begins to tell, and has not said yet what the application agrees to.
    case joined(String)
    /// There is no such account. One that is made under its name counts from the beginning.
    case accountEnded(String)
    /// Somebody owns the name `org.freedesktop.Notifications`, and said who it is.
    indirect case serverAppeared(NotificationServer)
    case serverVanished
    /// Nobody could be started who shows notifications.
    case serverUnavailable
    case notified(ticket: Int, id: UInt32)
    case notifyFailed(ticket: Int, NotifyFailure)
    /// A notification was closed as we asked, or was gone already.
    case closed(ShownKey)
    /// From here on: signals. They count if they come from the server.
    case notificationClosed(id: UInt32, reason: UInt32, sender: String)
    case actionInvoked(id: UInt32, key: String, sender: String)
    case activationToken(id: UInt32, token: String, sender: String)
    case replied(id: UInt32, text: String, sender: String)
    case inhibited(Bool)
    /// Somebody draws badges who did not before.
    case launcherAppeared
    /// A deadline has passed.
    case elapsed
}

/// Why a `Notify` was not answered by a number.
package enum NotifyFailure: Equatable, Sendable {
    /// Nobody got it.
    case undelivered
    /// Somebody may have got it.
    case unanswered
    case refused
}

/// Which action of which message the user chose.
package struct Choice: Hashable, Sendable {
    package let source: String
    package let chat: Int64
    package let message: Int64
    package let action: String
}

/// What a `Presenter` wants done. Records that are kept come before the calls they are about, and
/// have to be safe before those leave.
package enum PresenterAction: Equatable, Sendable {
    case keep(ShownRecord)
    case forget(ShownKey)
    /// How far the notifications of a source were seen.
    case forgetHighest(source: String)
    /// Whoever is registered to show notifications is to be started.
    case startServer
    indirect case notify(ticket: Int, NotifyCall)
    case close(ShownKey, id: UInt32)
    case request(source: String, EngineRequest)
    /// The application is to come to the front.
    case activate(service: String, token: String?)
    /// Instead of telling the application what was chosen.
    case open(link: ExternalLink, Choice, token: String?)
    case badge(desktopEntry: String, count: Int64)
}
