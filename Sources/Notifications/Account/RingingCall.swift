/// A call that rings, until it is answered, declined or nobody came.
package struct RingingCall: Equatable, Sendable {
    package let chatID: ChatID
    package let groupID: NotificationGroup.ID
    package let notificationID: Notification.ID
    /// When it has rung long enough; nil while a client watches over it.
    package var deadline: Double?
    package var callerName = ""
    /// What is shown when nobody took it.
    package var missedText = ""
    /// What the application that answers is given, as `Presentation.data`.
    package var data = ""
    package var level: TrustLevel
    /// As of its notification.
    package var isTrusted = false

    /// How long a call that is known from a push only rings, in seconds.
    static let ringTime: Double = 60
}
