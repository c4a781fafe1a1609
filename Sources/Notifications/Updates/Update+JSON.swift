package import Base

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
            consent.members(&writer)
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

/// Updates of an engine that concern the screen.
package enum EngineUpdate: Equatable, Sendable {
    package struct Group: Equatable, Sendable {
        package let id: Int32
        /// Zero if unknown.
        package let chat: Int64
        package let title: String
        package let notifications: [EngineNotification]
        /// How many the chat has, shown by the engine or not.
        package let total: Int
    }

    package struct Change: Equatable, Sendable {
        package let group: Int32
        package let chat: Int64
        package let title: String
        package let isSounding: Bool
        package let added: [EngineNotification]
        package let removed: [Int32]
        /// How many the chat has, shown by the engine or not.
        package var total = 0
    }

    package struct Badge: Equatable, Sendable {
        package let unread: Int64
        package let missedCalls: Int64

        package var count: Int64 {
            let (sum, isOver) = unread.addingReportingOverflow(missedCalls)
            return isOver ? .max : sum
        }
    }

    case active([Group])
    case change(Change)
    case edit(group: Int32, EngineNotification)
    case badge(Badge)
    case consent(SourceConsent)
    /// A request about this notification failed, and would fail again.
    case refused(group: Int32, notification: Int32)

    /// Nil for other updates.
    init?(_ node: JSONNode) {
        switch node["@type"]?.text {
        case "updateActiveNotifications":
            self = .active((node["groups"]?.elements ?? []).compactMap(Group.init))
        case "updateNotificationGroup":
            guard let change = Change(node) else { return nil }
            self = .change(change)
        case "updateNotification":
            guard let group = node["notification_group_id"]?.positiveID,
                let notification = node["notification"].flatMap(EngineNotification.init)
            else { return nil }
            self = .edit(group: group, notification)
        case "bellwire.updateUnreadBadge":
            self = .badge(
                Badge(
                    unread: max(node["count"]?.integer ?? 0, 0),
                    missedCalls: max(node["missed_calls"]?.integer ?? 0, 0)))
        case "bellwire.updateSource": self = .consent(SourceConsent(node))
        default: return nil
        }
    }
}

extension EngineUpdate {
    fileprivate static func total(_ node: JSONNode) -> Int {
        Int(Int32(clamping: max(0, node["total_count"]?.integer ?? 0)))
    }
}

extension EngineUpdate.Group {
    fileprivate init?(_ node: JSONNode) {
        guard let id = node["id"]?.positiveID else { return nil }
        self.id = id
        chat = node["chat_id"]?.integer ?? 0
        title = node["bellwire.chat_title"]?.text ?? ""
        notifications =
            (node["notifications"]?.elements ?? []).compactMap(EngineNotification.init)
        total = EngineUpdate.total(node)
    }
}

extension EngineUpdate.Change {
    fileprivate init?(_ node: JSONNode) {
        guard let id = node["notification_group_id"]?.positiveID else { return nil }
        group = id
        chat = node["chat_id"]?.integer ?? 0
        title = node["bellwire.chat_title"]?.text ?? ""
        isSounding = (node["notification_sound_id"]?.integer ?? 0) != 0
        added = (node["added_notifications"]?.elements ?? []).compactMap(EngineNotification.init)
        removed = (node["removed_notification_ids"]?.elements ?? []).compactMap(\.positiveID)
        total = EngineUpdate.total(node)
    }
}

extension JSONNode {
    /// Ids of notifications and groups are positive 32-bit numbers.
    var positiveID: Int32? {
        guard let value = integer.flatMap(Int32.init(exactly:)), value > 0 else { return nil }
        return value
    }
}
