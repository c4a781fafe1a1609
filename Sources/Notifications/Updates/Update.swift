package import Base

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

/// Updates as TDLib's JSON interface writes them.
extension Update {
    package func write(to writer: inout JSONWriter) {
        if case .changed(let json) = self { return writer.raw(json) }
        writer.object { members(&$0) }
    }

    private func members(_ writer: inout JSONWriter) {
        switch self {
        case .activeNotifications(let groups):
            writer.member("@type", "updateActiveNotifications")
            writer.name("groups")
            writer.array { writer in for group in groups { group.write(to: &writer) } }
        case .group(let update): update.members(&writer)
        case .notification(let groupID, let notification):
            writer.member("@type", "updateNotification")
            writer.member("notification_group_id", Int(groupID))
            writer.name("notification")
            writer.notification(notification)
        case .havePending(let delayed, let unreceived):
            writer.member("@type", "updateHavePendingNotifications")
            writer.member("have_delayed_notifications", delayed)
            writer.member("have_unreceived_notifications", unreceived)
        case .option(let name, let value):
            writer.member("@type", "updateOption")
            writer.member("name", name)
            writer.name("value")
            writer.option(value)
        case .chatReadInbox(let chatID, let lastRead):
            writer.member("@type", "updateChatReadInbox")
            writer.member("chat_id", Int(chatID.rawValue))
            writer.member("last_read_inbox_message_id", Int(lastRead.rawValue))
            // After a push has marked messages read, none of the known ones is unread.
            writer.member("unread_count", 0)
        default: ownMembers(&writer)
        }
    }

    /// Updates that TDLib does not have.
    private func ownMembers(_ writer: inout JSONWriter) {
        switch self {
        case .fetchRequired(let reason, let details):
            writer.member("@type", "bellwire.updateFetchRequired")
            writer.member("reason", reason)
            for detail in details {
                writer.name(text: detail.name)
                writer.foreign(detail.source[...])
            }
        case .unreadBadge(let count, let missedCalls):
            writer.member("@type", "bellwire.updateUnreadBadge")
            writer.member("count", Int(count))
            if let missedCalls { writer.member("missed_calls", Int(missedCalls)) }
        case .dcOption(let dc, let address, let getConfig):
            writer.member("@type", "bellwire.updateDcOption")
            writer.member("dc", Int(dc))
            writer.member("address", address)
            writer.member("get_config", getConfig)
        case .liveLocationsNeeded: writer.member("@type", "bellwire.updateLiveLocationsNeeded")
        case .sessionRevoked: writer.member("@type", "bellwire.updateSessionRevoked")
        case .consent(let consent):
            writer.member("@type", "bellwire.updateSource")
            writer.member("replies", consent.takesReplies)
            writer.name("link_schemes")
            writer.array { writer in
                for scheme in consent.linkSchemes.sorted() { writer.string(scheme) }
            }
        case .notificationAction(let action): action.members(&writer)
        case .actionExpired(let id):
            writer.member("@type", "bellwire.updateActionExpired")
            writer.member("id", int64: id)
        case .rawPush(let push):
            writer.member("@type", "bellwire.updateRawPush")
            writer.member("id", int64: push.id)
            writer.member("payload", Base64URL.text(push.payload.span))
            writer.member("encoding", push.encoding)
            writer.member("received", Int(push.received))
        default: preconditionFailure("neither function writes this update")
        }
    }
}

extension ChosenAction {
    fileprivate func members(_ writer: inout JSONWriter) {
        writer.member("@type", "bellwire.updateNotificationAction")
        writer.member("id", int64: id)
        write(to: &writer)
        if !service.isEmpty { writer.member("service", service) }
        if !activationToken.isEmpty { writer.member("activation_token", activationToken) }
    }

    /// The members that updates and callbacks share.
    package func write(to writer: inout JSONWriter) {
        writer.member("chat_id", Int(chatID.rawValue))
        writer.member("message_id", Int(messageID.rawValue))
        writer.member("action", action)
        writer.member("date", Int(date))
        if let text { writer.member("text", text) }
        if !data.isEmpty { writer.member("data", json: data) }
        if !callID.isEmpty { writer.member("call_id", callID) }
    }
}

extension Update.ActiveGroup {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("@type", "notificationGroup")
            writer.member("id", Int(id))
            writer.name("type")
            writer.groupType(kind)
            writer.member("chat_id", Int(chatID.rawValue))
            if !chatTitle.isEmpty { writer.member("bellwire.chat_title", chatTitle) }
            writer.member("total_count", totalCount)
            writer.name("notifications")
            writer.array { writer in for item in notifications { writer.notification(item) } }
        }
    }
}

extension GroupUpdate {
    fileprivate func members(_ writer: inout JSONWriter) {
        writer.member("@type", "updateNotificationGroup")
        writer.member("notification_group_id", Int(groupID))
        writer.name("type")
        writer.groupType(kind)
        writer.member("chat_id", Int(chatID.rawValue))
        if !chatTitle.isEmpty { writer.member("bellwire.chat_title", chatTitle) }
        writer.member("notification_settings_chat_id", Int(settingsChatID.rawValue))
        writer.member("notification_sound_id", int64: soundID)
        writer.member("total_count", totalCount)
        writer.name("added_notifications")
        writer.array { writer in for item in added { writer.notification(item) } }
        writer.name("removed_notification_ids")
        writer.array { writer in for id in removed { writer.number(Int(id)) } }
    }
}
