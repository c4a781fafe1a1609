/// A call that rings until it is answered, declined or timed out.
package struct RingingCall: Equatable, Sendable {
    package let chatID: ChatID
    package let groupID: NotificationGroup.ID
    package let notificationID: Notification.ID
    /// When it stops ringing. Nil while a client watches the call.
    package var deadline: Double?
    package var callerName = ""
    /// Shown when the call was missed.
    package var missedText = ""
    /// Given to the application that answers; see `Presentation.data`.
    package var data = ""
    package var level: TrustLevel
    /// It is copied from its notification.
    package var isTrusted = false

    /// How long a call rings that is known only from a push, in seconds.
    static let ringTime: Double = 60
}
