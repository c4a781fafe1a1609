/// Where the notification of a name is, or that there must be none.
package struct NamedNotification: Equatable, Sendable {
    package var groupID: NotificationGroup.ID
    /// 0 for a name that was retracted before it came.
    package var notificationID: Notification.ID
    /// The sender's own order, where it gives one: nothing older is taken any more.
    package var order: Int64?
    package var date: Int64
    /// How the best came that ever was under the name, or how it was retracted.
    package var level: TrustLevel

    var isTombstone: Bool { notificationID == 0 }

    /// How long a retraction waits for what it retracts, in seconds.
    static let tombstoneLife: Int64 = 600
}
