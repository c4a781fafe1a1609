/// Where the notification of a name is, or the record of its retraction.
package struct NamedNotification: Equatable, Sendable {
    package var groupID: NotificationGroup.ID
    /// 0 if the name was retracted before a message arrived.
    package var notificationID: Notification.ID
    /// The sender's sequence number, if it gives one: older messages are ignored.
    package var order: Int64?
    package var date: Int64
    /// The highest trust level that the name has had, or that of its retraction.
    package var level: TrustLevel

    var isTombstone: Bool { notificationID == 0 }

    /// How long a retraction is remembered if its message has not arrived, in seconds.
    static let tombstoneLife: Int64 = 600
}
