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
        package internal(set) var name: String
        /// JSON text.
        package internal(set) var source: String

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

/// An action that the user chose, for the application to carry out.
package struct ChosenAction: Equatable, Sendable {
    package var id: Int64 = 0
    package var chatID: ChatID
    /// None for a call.
    package var messageID: ChatMessageID
    package var action: String
    /// The text of a reply.
    package var text: String?
    /// The payload's data for the application: the text of a JSON object, or empty.
    package var data = ""
    /// The server's identifier of the call, or else the engine's.
    package var callID = ""
    /// When it was chosen; seconds since 1970.
    package var date: Int64 = 0
    /// The session bus name of the program that gets it; empty for none.
    package var service = ""
    /// Lets its window come to the front; not stored.
    package var activationToken = ""

    package init(chatID: ChatID, messageID: ChatMessageID, action: String, text: String? = nil) {
        self.chatID = chatID
        self.messageID = messageID
        self.action = action
        self.text = text
    }

    var size: Int {
        action.utf8.count + (text?.utf8.count ?? 0) + data.utf8.count + callID.utf8.count
    }
}

/// The fixed actions of notifications; payloads may add others.
enum NotificationAction {
    /// A click on the notification itself.
    static let open = "default"
    static let reply = "reply"
    static let markRead = "mark_read"
    static let accept = "accept"
    static let decline = "decline"
}

/// A payload as received, for an application that reads it itself.
package struct RawPush: Equatable, Sendable {
    package var id: Int64 = 0
    package internal(set) var payload: [UInt8]
    /// The content coding it came in, or `clear`.
    package internal(set) var encoding: String
    /// Seconds since 1970.
    package internal(set) var received: Int64

    package init(payload: [UInt8], encoding: String, received: Int64) {
        self.payload = payload
        self.encoding = encoding
        self.received = received
    }
}
