/// What the engine sends to its client.
package enum Update: Equatable, Sendable {
    package struct ActiveGroup: Equatable, Sendable {
        package let id: NotificationGroup.ID
        package let kind: NotificationGroup.Kind
        package let chatID: ChatID
        package let totalCount: Int
        package let notifications: [Notification]
        /// The chat's title, for a notification that does not name its sender.
        package var chatTitle = ""
    }

    case activeNotifications([ActiveGroup])
    case group(GroupUpdate)
    case notification(groupID: NotificationGroup.ID, Notification)
    case havePending(delayed: Bool, unreceived: Bool)
    case option(name: String, OptionValue)
    case chatReadInbox(chatID: ChatID, lastRead: ChatMessageID)
    /// A chat or a setting has changed; the update as JSON.
    case changed(json: String)
    /// The client has to ask the server. `details` are members of the payload, as received.
    case fetchRequired(reason: String, details: [Detail])
    case unreadBadge(count: Int64, missedCalls: Int64?)
    case dcOption(dc: Int32, address: String, getConfig: Bool)
    case liveLocationsNeeded
    case sessionRevoked
    /// What the application allows, replacing the consent sent before.
    case consent(SourceConsent)
    /// Kept until it is acknowledged.
    indirect case notificationAction(ChosenAction)
    /// The action was not handled in time.
    case actionExpired(id: Int64)
    /// Kept until it is acknowledged; for clients that asked for it.
    indirect case rawPush(RawPush)

    package struct Detail: Equatable, Sendable {
        package let name: String
        /// JSON text.
        package let source: String

        package init(_ name: String, source: String) {
            self.name = name
            self.source = source
        }
    }
}

/// One `updateNotificationGroup`.
package struct GroupUpdate: Equatable, Sendable {
    package let groupID: NotificationGroup.ID
    package var kind: NotificationGroup.Kind
    package let chatID: ChatID
    package var settingsChatID: ChatID
    /// 0 for none, -1 for the application's default.
    package var soundID: Int64
    package var totalCount: Int
    /// Sorted by id.
    package var added: [Notification]
    package var removed: [Notification.ID]
    /// The chat's title, if an added notification does not name its sender.
    package var chatTitle = ""
}
